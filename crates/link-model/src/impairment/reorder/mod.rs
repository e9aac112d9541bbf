//! Reordering: a packet arrives later and does not delay the packets behind it.

use super::{Delivery, Effect, Impairment, Packet, Parameter};
use crate::counter_rng::CounterRng;
use crate::error::BadLink;
use crate::grammar::Setting;
use crate::netem::NetemArguments;
use crate::units;

/// Default extra delay.
const DEFAULT_DELAY_NS: u64 = 10_000_000;

/// The words of the link language.
pub(crate) const SETTINGS: [Setting; 2] = [
    Setting::new("reorder", |direction, value, _| {
        let share = units::parse_fraction("reorder", value)?;
        direction.impairments.reorder = (share > 0.0).then_some(Spec {
            share,
            delay_ns: DEFAULT_DELAY_NS,
        });
        Ok(())
    }),
    Setting::new("reorder-delay", |direction, value, _| {
        let Some(reorder) = &mut direction.impairments.reorder else {
            return Err(BadLink::new(
                "reorder-delay has no effect without reorder; give reorder before it",
            ));
        };
        reorder.delay_ns = units::parse_duration_ns("reorder-delay", value)?.round() as u64;
        Ok(())
    }),
];

/// Reordering of packets, drawn for each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spec {
    /// Probability per packet.
    pub share: f64,
    /// How much later it arrives, ns.
    pub delay_ns: u64,
}

impl Impairment for Spec {
    fn describe(&self) -> String {
        format!(
            "{} by {}",
            units::show_fraction(self.share),
            units::show_ns(self.delay_ns as f64)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        vec![
            ("share", Parameter::Number(self.share)),
            ("delay_ns", Parameter::Count(self.delay_ns)),
        ]
    }

    fn plan_netem(&self, plan: &mut NetemArguments) {
        plan.lack("reorder: netem sends reordered packets early, never late");
    }

    fn effect(&self, _: CounterRng) -> Box<dyn Effect> {
        Box::new(*self)
    }
}

impl Effect for Spec {
    fn deliver(&mut self, packet: &Packet, delivery: &mut Delivery) {
        if packet.rng.stream(6).uniform(packet.number) < self.share {
            delivery.marks.reordered = true;
            delivery.late_ns += self.delay_ns;
        }
    }
}
