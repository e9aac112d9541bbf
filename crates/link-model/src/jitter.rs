//! Variable delay: one normal draw per clock tick, shared by all packets within the tick, or one
//! draw per packet.

use crate::counter_rng::CounterRng;
use crate::flow::FlowState;

/// How the delay of one direction varies.
///
/// A draw per packet with order kept increases the mean delay and reduces its spread, because a
/// late packet delays those behind it: with one packet per ms, N(20, 2) ms becomes a median of
/// 20.95 ms with a deviation of 1.5 ms. A draw per tick does this only to packets that straddle a
/// tick. A draw per packet without order does not, but packets overtake each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JitterSpec {
    /// Standard deviation in ns.
    pub sd_ns: f64,
    /// How long one draw lasts.
    pub draw: JitterDraw,
    /// Whether packets keep their order.
    pub in_order: bool,
}

/// How long one draw of the delay lasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JitterDraw {
    /// One draw per tick, independent of the packets.
    Tick {
        /// Length of a tick in ns, at least 10 ms.
        tick_ns: u64,
        /// Correlation of neighbouring ticks, AR(1); 0 for independent draws.
        correlation: f64,
    },
    /// One draw per packet.
    Packet,
}

/// Shortest tick allowed.
pub const MIN_TICK_NS: u64 = 10_000_000;
/// A past value is ignored once its weight is below e^-36, which is less than the resolution of the
/// result.
const FORGOTTEN: f64 = 36.0;

/// The jitter process of one direction. Its value at a tick depends only on (seed, tick), that of a
/// packet only on (seed, flow, number).
#[derive(Debug, Clone)]
pub(crate) struct Jitter {
    spec: JitterSpec,
    rng: CounterRng,
    tick: Option<u64>,
    value: f64,
}

impl Jitter {
    pub fn new(spec: JitterSpec, rng: CounterRng) -> Jitter {
        Jitter {
            spec,
            rng,
            tick: None,
            value: 0.0,
        }
    }

    /// Deviation from the mean delay at time `t` for packet `number` of a flow, in ns. Times must
    /// not decrease.
    pub fn at(&mut self, t: u64, flow: &FlowState, number: u64) -> f64 {
        let value = match self.spec.draw {
            JitterDraw::Packet => flow.rng.stream(7).normal(number),
            JitterDraw::Tick {
                tick_ns,
                correlation,
            } => self.at_tick(t / tick_ns, correlation),
        };
        value * self.spec.sd_ns
    }

    fn at_tick(&mut self, tick: u64, phi: f64) -> f64 {
        // Values before this no longer have an effect. So a long idle period costs a bounded number
        // of draws.
        let back = if phi > 0.0 {
            (FORGOTTEN / (1.0 - phi)).ceil() as u64
        } else {
            0
        };
        let start = tick.saturating_sub(back);
        if self.tick.is_none_or(|last| last < start) {
            (self.tick, self.value) = (Some(start), self.rng.normal(start));
        }
        for next in self.tick.map_or(0, |last| last + 1)..=tick {
            self.value = phi * self.value + (1.0 - phi * phi).sqrt() * self.rng.normal(next);
        }
        self.tick = self.tick.max(Some(tick));
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::{Jitter, JitterDraw, JitterSpec};
    use crate::counter_rng::CounterRng;
    use crate::flow::FlowState;

    const SECOND: u64 = 1_000_000_000;

    fn flow(number: u64) -> FlowState {
        FlowState {
            rng: CounterRng::new(number),
            packets: 0,
            bad: false,
        }
    }

    fn ticks(sd_ns: f64, correlation: f64) -> Jitter {
        let draw = JitterDraw::Tick {
            tick_ns: SECOND,
            correlation,
        };
        let spec = JitterSpec {
            sd_ns,
            draw,
            in_order: true,
        };
        Jitter::new(spec, CounterRng::new(5))
    }

    fn series(correlation: f64, n: u64) -> Vec<f64> {
        let mut jitter = ticks(3.96e6, correlation);
        (0..n)
            .map(|s| jitter.at(s * SECOND + 1, &flow(1), s))
            .collect()
    }

    fn moments(x: &[f64]) -> (f64, f64, f64) {
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let variance = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        let lag1 = x
            .windows(2)
            .map(|w| (w[0] - mean) * (w[1] - mean))
            .sum::<f64>()
            / n
            / variance;
        (mean, variance.sqrt(), lag1)
    }

    #[test]
    fn independent_ticks_have_the_asked_spread_and_no_memory() {
        let (mean, sd, lag1) = moments(&series(0.0, 100_000));
        assert!(mean.abs() < 0.05e6 && (sd / 3.96e6 - 1.0).abs() < 0.01 && lag1.abs() < 0.02);
    }

    #[test]
    fn correlated_ticks_have_the_asked_spread_and_memory() {
        let (_, sd, lag1) = moments(&series(0.9, 200_000));
        assert!(
            (sd / 3.96e6 - 1.0).abs() < 0.03 && (lag1 - 0.9).abs() < 0.01,
            "{sd} {lag1}"
        );
    }

    #[test]
    fn a_tick_has_the_same_value_however_one_gets_there() {
        for correlation in [0.0, 0.7, 0.99] {
            let mut steps = ticks(1e6, correlation);
            for s in 0..9000 {
                steps.at(s * SECOND, &flow(1), 0);
            }
            let mut jump = ticks(1e6, correlation);
            let found = (
                steps.at(9000 * SECOND, &flow(1), 0),
                jump.at(9000 * SECOND, &flow(1), 0),
            );
            assert!((found.0 - found.1).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn every_packet_of_every_flow_has_its_own_draw_where_that_is_asked() {
        let spec = JitterSpec {
            sd_ns: 2e6,
            draw: JitterDraw::Packet,
            in_order: false,
        };
        let mut jitter = Jitter::new(spec, CounterRng::new(5));
        let values: Vec<f64> = (0..100_000).map(|n| jitter.at(0, &flow(1), n)).collect();
        let (mean, sd, lag1) = moments(&values);
        assert!(mean.abs() < 0.03e6 && (sd / 2e6 - 1.0).abs() < 0.01 && lag1.abs() < 0.02);
        assert_ne!(values[7], jitter.at(0, &flow(2), 7));
    }
}
