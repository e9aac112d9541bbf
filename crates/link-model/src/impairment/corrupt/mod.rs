//! Corruption: one bit of a packet is flipped.

use super::{Delivery, Effect, Impairment, Packet, Parameter};
use crate::counter_rng::CounterRng;
use crate::grammar::Setting;
use crate::netem::NetemArguments;
use crate::units;

/// The word of the link language.
pub(crate) const SETTINGS: [Setting; 1] = [Setting::new("corrupt", |direction, value, _| {
    direction.impairments.corrupt = parse(value)?;
    Ok(())
})];

/// Corruption of packets, drawn for each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spec {
    /// Probability per packet.
    pub share: f64,
}

fn parse(value: &str) -> Result<Option<Spec>, crate::BadLink> {
    let share = units::parse_fraction("corrupt", value)?;
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
        plan.add_share("corrupt", self.share);
    }

    fn effect(&self, _: CounterRng) -> Box<dyn Effect> {
        Box::new(*self)
    }

    // The receiver's kernel drops a packet with a wrong checksum.
    fn lost_share(&self, _: u64) -> f64 {
        self.share
    }
}

impl Effect for Spec {
    fn deliver(&mut self, packet: &Packet, delivery: &mut Delivery) {
        let flips = packet.rng.stream(4).uniform(packet.number) < self.share;
        delivery.marks.corrupt = flips.then(|| packet.rng.stream(5).bits(packet.number));
    }
}
