//! Duplication: a packet arrives twice in direct succession.

use super::{Delivery, Effect, Impairment, Packet, Parameter};
use crate::counter_rng::CounterRng;
use crate::grammar::Setting;
use crate::netem::NetemArguments;
use crate::units;

/// The word of the link language.
pub(crate) const SETTINGS: [Setting; 1] = [Setting::new("duplicate", |direction, value, _| {
    direction.impairments.duplicate = parse(value)?;
    Ok(())
})];

/// Duplication of packets, drawn for each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spec {
    /// Probability per packet.
    pub share: f64,
}

fn parse(value: &str) -> Result<Option<Spec>, crate::BadLink> {
    let share = units::parse_fraction("duplicate", value)?;
    Ok((share > 0.0).then_some(Spec { share }))
}

impl Impairment for Spec {
    fn describe(&self) -> String {
        units::show_fraction(self.share)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        vec![("share", Parameter::Number(self.share))]
    }

    fn plan_netem(&self, plan: &mut NetemArguments) {
        plan.add_share("duplicate", self.share);
    }

    fn effect(&self, _: CounterRng) -> Box<dyn Effect> {
        Box::new(*self)
    }
}

impl Effect for Spec {
    fn deliver(&mut self, packet: &Packet, delivery: &mut Delivery) {
        delivery.marks.duplicate = packet.rng.stream(3).uniform(packet.number) < self.share;
    }
}
