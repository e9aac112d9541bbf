//! Counters of one flow in one direction.

use wirelab_link_model::FlowKey;

use super::totals::Totals;
use crate::engine::frame::Segment;
use crate::engine::histogram::Histogram;

/// Counters, and the lateness of frames sent.
#[derive(Debug, Clone)]
pub struct FlowTotals {
    pub key: FlowKey,
    pub totals: Totals,
    /// ns between deadline and sending. Empty if frames are forwarded to another direction and not
    /// sent.
    pub lateness: Histogram,
    /// TCP: the first sequence number not seen yet.
    next_sequence: Option<u32>,
    /// Index in the lab's list of flows, in order of first appearance.
    pub index: u32,
}

impl FlowTotals {
    /// A flow without packets.
    pub fn new(key: FlowKey, index: u32) -> FlowTotals {
        FlowTotals {
            key,
            totals: Totals::default(),
            lateness: Histogram::default(),
            next_sequence: None,
            index,
        }
    }

    /// Whether a segment repeats sequence numbers already seen. Half of the number space counts as
    /// earlier (RFC 9293, 3.4).
    pub fn is_repeated(&mut self, segment: Segment) -> bool {
        let end = segment.sequence.wrapping_add(segment.length);
        let Some(next) = self.next_sequence else {
            self.next_sequence = Some(end);
            return false;
        };
        if (end.wrapping_sub(next) as i32) > 0 {
            self.next_sequence = Some(end);
        }
        (segment.sequence.wrapping_sub(next) as i32) < 0
    }
}
