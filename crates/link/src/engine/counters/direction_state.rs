//! The state of one direction: its model and its counters.

use wirelab_link_model::{Direction, FlowId};

use super::flow::FlowTotals;
use super::fragments::Fragments;
use super::totals::Totals;
use crate::engine::frame::{L2_HEADER, Parsed};

/// One direction of a host's link, or the segment.
pub struct DirectionState {
    pub model: Direction,
    pub totals: Totals,
    pub flows: Vec<FlowTotals>,
    /// Time of the timer for the model's next decision.
    pub decision_at: Option<u64>,
    fragments: Fragments,
}

impl DirectionState {
    /// A direction without traffic.
    pub fn new(model: Direction) -> DirectionState {
        DirectionState {
            model,
            totals: Totals::default(),
            flows: Vec::new(),
            decision_at: None,
            fragments: Fragments::default(),
        }
    }

    /// Count an arriving frame and return its flow. A new flow gets the number `next_index`.
    pub fn arrive(&mut self, parsed: &Parsed, l2_bytes: usize, next_index: &mut u32) -> FlowId {
        let key = self.fragments.flow_of(parsed);
        let id = self.model.flow(&key);
        if id == self.flows.len() {
            self.flows.push(FlowTotals::new(key, *next_index));
            *next_index += 1;
        }
        // Frames shorter than 60 bytes are not padded on a veth, so the actual length is counted.
        let l2 = (l2_bytes as u64).max(L2_HEADER as u64);
        let flow = &mut self.flows[id];
        let repeated = parsed
            .segment
            .is_some_and(|segment| flow.is_repeated(segment));
        let first_data = parsed.payload > 0 && !repeated;
        self.count(id, |totals| {
            totals.packets += 1;
            totals.l2_bytes += l2;
            totals.l3_bytes += u64::from(parsed.l3_bytes);
            totals.payload_bytes += u64::from(parsed.payload);
            totals.retransmissions += u64::from(repeated);
            totals.data_l2_bytes += if first_data { l2 } else { 0 };
        });
        id
    }

    /// Update the counters of the direction and of one of its flows.
    pub fn count(&mut self, flow: FlowId, what: impl Fn(&mut Totals)) {
        what(&mut self.totals);
        what(&mut self.flows[flow].totals);
    }

    /// Record the queue length after a packet of this flow has joined.
    pub fn count_queue(&mut self, flow: FlowId) {
        let bytes = self.model.queued_bytes();
        self.count(flow, |totals| totals.queue_bytes.record(bytes));
    }
}
