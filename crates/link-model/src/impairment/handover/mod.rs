//! Handovers: recurring periods in which nothing arrives.

use super::{Effect, Impairment, Parameter};
use crate::counter_rng::CounterRng;
use crate::grammar::{Setting, parse_schedule};
use crate::netem::NetemArguments;
use crate::units::show_ns;

/// The word of the link language.
pub(crate) const SETTINGS: [Setting; 1] = [Setting::new("handover", |direction, value, _| {
    let (period_ns, at_ns, length_ns) = parse_schedule("handover", value)?;
    direction.impairments.handover = Some(Spec {
        period_ns,
        at_ns,
        length_ns,
    });
    Ok(())
})];

/// Packets that would arrive during a handover arrive at its end, in order, because the network
/// buffers and forwards them. Transmission continues meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    /// From the start of one handover to the start of the next, ns.
    pub period_ns: u64,
    /// Start of the first, ns.
    pub at_ns: u64,
    /// Length, ns.
    pub length_ns: u64,
}

impl Impairment for Spec {
    fn describe(&self) -> String {
        let [every, length, at] =
            [self.period_ns, self.length_ns, self.at_ns].map(|ns| show_ns(ns as f64));
        format!("every {every} for {length}, first at {at}")
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        vec![
            ("period_ns", Parameter::Count(self.period_ns)),
            ("at_ns", Parameter::Count(self.at_ns)),
            ("length_ns", Parameter::Count(self.length_ns)),
        ]
    }

    fn plan_netem(&self, plan: &mut NetemArguments) {
        plan.lack("handover: netem has no scheduled stalls");
    }

    fn effect(&self, _: CounterRng) -> Box<dyn Effect> {
        Box::new(*self)
    }
}

impl Effect for Spec {
    fn release_time(&self, due: u64) -> u64 {
        let since = (due % self.period_ns + self.period_ns - self.at_ns) % self.period_ns;
        if since < self.length_ns {
            due.saturating_add(self.length_ns - since)
        } else {
            due
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, Spec};

    #[test]
    fn what_would_arrive_meanwhile_arrives_at_the_end() {
        let handover = Spec {
            period_ns: 100,
            at_ns: 30,
            length_ns: 5,
        };
        let release_time = [0, 29, 30, 34, 35, 130, 229, 231].map(|t| handover.release_time(t));
        assert_eq!(release_time, [0, 29, 35, 35, 35, 135, 229, 235]);
    }
}
