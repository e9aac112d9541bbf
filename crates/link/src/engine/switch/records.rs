//! What is kept of every packet, for the packet log and the capture.

use super::Switch;
use super::hops::{Hop, Passage, Place};
use crate::engine::counters::Drop;
use crate::engine::log::Record;

/// What is kept of every packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Keep {
    /// Counters only.
    Nothing,
    /// A record.
    Records,
    /// A record and the frame.
    Frames,
}

/// A record, in virtual time (0 for an egress that never was), and the frame where it is kept.
pub type Kept = (Record, Vec<u8>);

impl Switch {
    /// `times` are egress and deadline.
    pub(super) fn record(&mut self, hop: &Hop, passage: Passage, drop: Drop, times: (u64, u64)) {
        if self.keep == Keep::Nothing {
            return;
        }
        let (host, direction) = match hop.place {
            Place::Up(host) => (host, 0),
            Place::Down(host) => (host, 1),
            Place::Segment => (hop.sender, 2),
        };
        let side = self.sides.at(hop.place);
        let record = Record {
            ingress: passage.arrived as i64,
            egress: times.0 as i64,
            flow: side.flows[passage.flow as usize].index,
            l3_bytes: hop.parsed.l3_bytes,
            payload: hop.parsed.payload,
            host,
            direction,
            drop: drop as u8,
            protocol: hop.parsed.key.protocol,
            due: times.1 as i64,
        };
        let frame = if self.keep == Keep::Frames {
            self.frames.bytes(hop.frame).to_vec()
        } else {
            vec![]
        };
        self.records.push((record, frame));
    }
}
