//! Loss without a draw: every Nth packet of each flow.

use super::{Effect, Impairment, Packet, Parameter};
use crate::counter_rng::CounterRng;
use crate::error::BadLink;
use crate::grammar::Setting;
use crate::netem::NetemArguments;
use crate::units;

/// The word of the link language.
pub(crate) const SETTINGS: [Setting; 1] = [Setting::new("loss-every", |direction, value, _| {
    direction.impairments.loss_every = Some(Spec {
        packets: parse_packets(value)?,
    });
    Ok(())
})];

/// The last of every `packets` packets of a flow is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    /// Packets, at least 1.
    pub packets: u64,
}

fn parse_packets(value: &str) -> Result<u64, BadLink> {
    match value.parse() {
        Ok(packets) if packets > 0 => Ok(packets),
        _ => Err(BadLink::new(format!(
            "loss-every '{value}' is not a whole number of packets from 1; write it like loss-every=10"
        ))),
    }
}

impl Spec {
    fn share(&self) -> f64 {
        1.0 / self.packets as f64
    }
}

impl Impairment for Spec {
    fn describe(&self) -> String {
        format!(
            "the last of every {} packets of a flow, {}",
            self.packets,
            units::show_fraction(self.share())
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        vec![("packets", Parameter::Count(self.packets))]
    }

    fn plan_netem(&self, plan: &mut NetemArguments) {
        plan.lack("loss-every: netem draws its losses, so none is planned for it");
    }

    fn effect(&self, _: CounterRng) -> Box<dyn Effect> {
        Box::new(*self)
    }

    fn lost_share(&self, _: u64) -> f64 {
        self.share()
    }
}

impl Effect for Spec {
    fn loses(&mut self, packet: &Packet) -> bool {
        packet.number % self.packets == self.packets - 1
    }
}

#[cfg(test)]
mod tests {
    use crate::{BadLink, CounterRng, Direction, DropCause, Fate, FlowKey, LinkSpec, parse_link};

    fn parse(text: &str) -> Result<LinkSpec, BadLink> {
        parse_link(text, &|_| Err(BadLink::new("no files")))
    }

    /// The numbers of the packets that are lost, of twelve in turn from two flows.
    fn lost(text: &str, seed: u64) -> Vec<u64> {
        let link = parse(text).expect(text);
        let mut up = Direction::new(&link.up, CounterRng::new(seed), 0).expect("a direction");
        let flows = [1, 2].map(|port| {
            up.flow(&FlowKey {
                source: [10, 77, 0, 1],
                destination: [10, 77, 0, 2],
                protocol: 17,
                source_port: port,
                destination_port: port,
            })
        });
        (0..12)
            .filter(|&n| {
                let fate = up.arrive(n * 1_000, flows[n as usize % 2], 100, n);
                fate == Fate::Drop(DropCause::Loss)
            })
            .collect()
    }

    #[test]
    fn every_nth_packet_of_each_flow_is_lost_whatever_the_seed() {
        assert_eq!(lost("loss-every=3", 1), [4, 5, 10, 11]);
        assert_eq!(lost("loss-every=3", 2), [4, 5, 10, 11]);
        assert_eq!(lost("loss-every=1", 1).len(), 12);
        assert_eq!(lost("down.loss-every=1", 1).len(), 0);
    }

    #[test]
    fn a_lost_packet_has_used_capacity() {
        let link = parse("rate=8kbit/s,loss-every=2").expect("a link");
        let mut up = Direction::new(&link.up, CounterRng::new(1), 0).expect("a direction");
        let flow = up.flow(&FlowKey {
            source: [1; 4],
            destination: [2; 4],
            protocol: 17,
            source_port: 1,
            destination_port: 1,
        });
        let fates: Vec<Fate> = (0..3).map(|n| up.arrive(0, flow, 1_000, n)).collect();
        let Fate::Deliver { sent, .. } = fates[2] else {
            panic!("{fates:?}")
        };
        assert_eq!(sent, 3_000_000_000);
    }

    #[test]
    fn a_value_that_counts_no_packets_is_refused() {
        for text in ["loss-every=0", "loss-every=2.5", "loss-every=10%"] {
            let refused = parse(text).expect_err(text).to_string();
            assert!(
                refused.contains("is not a whole number of packets from 1"),
                "{refused}"
            );
        }
    }
}
