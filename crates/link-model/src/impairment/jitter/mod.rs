//! Variable delay: one normal draw per clock tick, shared by all packets within the tick, or one
//! draw per packet.

mod grammar;
#[cfg(test)]
mod tests;

use super::{Delivery, Effect, Impairment, Packet, Parameter};
use crate::counter_rng::CounterRng;
use crate::netem::{NetemArguments, format_ms, format_percent};
use crate::units::show_ns;

pub(crate) use grammar::SETTINGS;

/// How the delay of one direction varies.
///
/// A draw per packet with order kept increases the mean delay and reduces its spread, because a
/// late packet delays those behind it: with one packet per ms, N(20, 2) ms becomes a median of
/// 20.95 ms with a deviation of 1.5 ms. A draw per tick does this only to packets that straddle a
/// tick. A draw per packet without order does not, but packets overtake each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spec {
    /// Standard deviation in ns.
    pub sd_ns: f64,
    /// How long one draw lasts.
    pub draw: Draw,
    /// Whether packets keep their order.
    pub in_order: bool,
}

/// How long one draw of the delay lasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Draw {
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

impl Impairment for Spec {
    fn describe(&self) -> String {
        let each = match self.draw {
            Draw::Packet => "per packet".into(),
            Draw::Tick {
                tick_ns,
                correlation,
            } if correlation > 0.0 => format!(
                "every {}, correlation {correlation}",
                show_ns(tick_ns as f64)
            ),
            Draw::Tick { tick_ns, .. } => format!("every {}", show_ns(tick_ns as f64)),
        };
        let order = if self.in_order {
            ""
        } else {
            ", packets may be reordered"
        };
        format!("sd {} {each}{order}", show_ns(self.sd_ns))
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let (tick_ns, correlation) = match self.draw {
            Draw::Packet => (Parameter::Absent, 0.0),
            Draw::Tick {
                tick_ns,
                correlation,
            } => (Parameter::Count(tick_ns), correlation),
        };
        vec![
            ("sd_ns", Parameter::Number(self.sd_ns)),
            ("tick_ns", tick_ns),
            ("correlation", Parameter::Number(correlation)),
            ("in_order", Parameter::Flag(self.in_order)),
        ]
    }

    fn plan_netem(&self, plan: &mut NetemArguments) {
        let mut memory = String::new();
        if let Draw::Tick {
            tick_ns,
            correlation,
        } = self.draw
        {
            let tick = format_ms(tick_ns as f64);
            plan.lack(&format!("jitter: netem draws per packet, not every {tick}"));
            if correlation > 0.0 {
                memory = format!(" {}", format_percent(correlation));
            }
        }
        if self.in_order {
            plan.lack("jitter: netem does not keep packets in order");
        }
        let sd = format_ms(self.sd_ns);
        plan.vary_delay(&format!("{sd}{memory} distribution normal"));
    }

    fn effect(&self, rng: CounterRng) -> Box<dyn Effect> {
        Box::new(Jitter {
            spec: *self,
            rng,
            tick: None,
            value: 0.0,
        })
    }

    fn varies_delay(&self) -> bool {
        true
    }
}

/// The jitter process of one direction. Its value at a tick depends only on (seed, tick), that of a
/// packet only on (seed, flow, number).
#[derive(Debug, Clone)]
struct Jitter {
    spec: Spec,
    rng: CounterRng,
    tick: Option<u64>,
    value: f64,
}

impl Effect for Jitter {
    fn deliver(&mut self, packet: &Packet, delivery: &mut Delivery) {
        let value = match self.spec.draw {
            Draw::Packet => packet.rng.stream(7).normal(packet.number),
            Draw::Tick {
                tick_ns,
                correlation,
            } => self.at_tick(packet.t / tick_ns, correlation),
        };
        delivery.delay_ns += value * self.spec.sd_ns;
        delivery.in_order &= self.spec.in_order;
    }
}

impl Jitter {
    /// The value of a tick. Ticks must not decrease.
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
