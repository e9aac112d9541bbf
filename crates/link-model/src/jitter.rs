//! Delay that changes with time: one normal draw per tick of the clock, so that packets close together see the same delay.

use crate::draws::Draws;

/// How the delay of one direction varies.
///
/// A draw per packet with packets kept in order would lengthen the mean delay and narrow its spread, because a late packet holds
/// up those behind it; a draw per tick does that only to packets that straddle a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JitterSpec {
    /// Standard deviation in ns.
    pub sd_ns: f64,
    /// How long one draw holds, in ns; at least 10 ms.
    pub tick_ns: u64,
    /// Correlation of neighbouring ticks, AR(1); 0 for independent draws.
    pub correlation: f64,
}

/// The shortest tick: below it, a long idle time would cost many draws at once.
pub const MIN_TICK_NS: u64 = 10_000_000;

/// The jitter process of one direction. Its value at a tick is a function of (seed, tick) alone.
#[derive(Debug, Clone)]
pub(crate) struct Jitter {
    spec: JitterSpec,
    draws: Draws,
    tick: u64,
    value: f64,
}

impl Jitter {
    pub fn new(spec: JitterSpec, draws: Draws) -> Jitter {
        Jitter {
            spec,
            draws,
            tick: 0,
            value: draws.normal(0),
        }
    }

    /// Deviation from the mean delay at time `t`, in ns. Times must not decrease.
    pub fn at(&mut self, t: u64) -> f64 {
        let tick = t / self.spec.tick_ns;
        let phi = self.spec.correlation;
        if phi == 0.0 && tick != self.tick {
            self.tick = tick;
            self.value = self.draws.normal(tick);
        }
        while self.tick < tick {
            self.tick += 1;
            self.value = phi * self.value + (1.0 - phi * phi).sqrt() * self.draws.normal(self.tick);
        }
        self.value * self.spec.sd_ns
    }
}

#[cfg(test)]
mod tests {
    use super::{Jitter, JitterSpec};
    use crate::draws::Draws;

    const SECOND: u64 = 1_000_000_000;

    fn series(correlation: f64, n: u64) -> Vec<f64> {
        let spec = JitterSpec {
            sd_ns: 3.96e6,
            tick_ns: SECOND,
            correlation,
        };
        let mut jitter = Jitter::new(spec, Draws::new(5));
        (0..n).map(|s| jitter.at(s * SECOND + 1)).collect()
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
        for correlation in [0.0, 0.7] {
            let spec = JitterSpec {
                sd_ns: 1e6,
                tick_ns: SECOND,
                correlation,
            };
            let mut steps = Jitter::new(spec, Draws::new(5));
            for s in 0..50 {
                steps.at(s * SECOND);
            }
            let mut jump = Jitter::new(spec, Draws::new(5));
            assert_eq!(
                steps.at(50 * SECOND).to_bits(),
                jump.at(50 * SECOND).to_bits()
            );
        }
    }
}
