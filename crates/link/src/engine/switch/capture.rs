//! Records of packets for the packet log and the capture file.

use super::Switch;
use super::in_flight::{DirectionId, PacketContext};
use crate::engine::counters::DropReason;
use crate::engine::packet_log::Record;

/// How much of every packet is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum CaptureLevel {
    /// Counters only.
    Counters,
    /// A record per packet.
    Records,
    /// A record and the frame's bytes per packet.
    Frames,
}

/// A record in virtual time (egress 0 if the packet was not sent), and the frame's bytes at
/// [`CaptureLevel::Frames`].
pub type CapturedPacket = (Record, Vec<u8>);

impl Switch {
    /// Record a packet's outcome. Times are virtual ns.
    pub(super) fn record(
        &mut self,
        packet: &PacketContext,
        drop: DropReason,
        egress: u64,
        due: u64,
    ) {
        if self.capture_level == CaptureLevel::Counters {
            return;
        }
        let (host, direction) = match packet.direction {
            DirectionId::Up(host) => (host, 0),
            DirectionId::Down(host) => (host, 1),
            DirectionId::Segment => (packet.sender, 2),
        };
        let state = self.directions.get_mut(packet.direction);
        let record = Record {
            ingress: packet.arrived as i64,
            egress: egress as i64,
            flow: state.flows[packet.flow()].index,
            l3_bytes: packet.parsed.l3_bytes,
            payload: packet.parsed.payload,
            host,
            direction,
            drop: drop as u8,
            protocol: packet.parsed.key.protocol,
            due: due as i64,
            sojourn: packet.sent.saturating_sub(packet.arrived),
        };
        let frame = if self.capture_level == CaptureLevel::Frames {
            self.frames.bytes(packet.frame).to_vec()
        } else {
            vec![]
        };
        self.records.push((record, frame));
    }
}
