//! What is counted per direction and per flow.

use std::collections::{HashMap, VecDeque};

use wirelab_link_model::{Cause, Direction, FlowId, FlowKey, Mark};

use super::frame::{FragmentOf, L2_HEADER, Parsed, Segment};

/// Datagrams whose fragments are being followed in one direction.
const MAX_DATAGRAMS: usize = 1024;

/// Why a frame was dropped: the model's causes, and our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Drop {
    /// Not dropped.
    None = 0,
    /// Drawn lost.
    Loss = 1,
    /// Queue full.
    Queue = 2,
    /// Longer than the MTU.
    Mtu = 3,
    /// The emulator or the kernel below it could not take it: the measurement is void.
    Own = 4,
}

impl From<Cause> for Drop {
    fn from(cause: Cause) -> Drop {
        match cause {
            Cause::Loss => Drop::Loss,
            Cause::Queue => Drop::Queue,
            Cause::Mtu => Drop::Mtu,
        }
    }
}

/// Sums over one direction of a host.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    pub packets: u64,
    pub l2_bytes: u64,
    pub l3_bytes: u64,
    /// Of frames that carry data of layer 4 for the first time: no bare acknowledgements, no retransmissions.
    pub data_l2_bytes: u64,
    pub delivered: u64,
    pub loss: u64,
    pub queue: u64,
    pub mtu: u64,
    pub duplicated: u64,
    pub corrupted: u64,
    pub reordered: u64,
    pub retransmissions: u64,
    pub queue_max_bytes: u64,
    /// ns from arrival to the last bit sent, over `transmitted` packets.
    pub sojourn_ns: u64,
    pub transmitted: u64,
}

impl Totals {
    /// Count a drop. Own drops are counted apart, for the whole lab.
    pub fn drop(&mut self, cause: Drop) {
        match cause {
            Drop::Loss => self.loss += 1,
            Drop::Queue => self.queue += 1,
            Drop::Mtu => self.mtu += 1,
            Drop::None | Drop::Own => {}
        }
    }
}

/// Sums over one flow of one direction.
#[derive(Debug, Clone)]
pub struct FlowTotals {
    pub key: FlowKey,
    pub packets: u64,
    pub l2_bytes: u64,
    pub l3_bytes: u64,
    pub payload_bytes: u64,
    pub dropped: u64,
    pub retransmissions: u64,
    /// TCP: the first sequence number not yet seen.
    next_sequence: Option<u32>,
    /// Index in the lab's list of flows, in order of first appearance.
    pub index: u32,
}

impl FlowTotals {
    /// Whether a segment repeats sequence numbers that were seen; half the number space counts as past (RFC 9293, 3.4).
    fn is_repeated(&mut self, segment: Segment) -> bool {
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

/// One direction of a host's link: the model and what it did.
pub struct Side {
    pub model: Direction,
    pub totals: Totals,
    pub flows: Vec<FlowTotals>,
    /// When a timer is set for the model's next decision.
    pub decision_at: Option<u64>,
    datagrams: HashMap<FragmentOf, FlowKey>,
    oldest: VecDeque<FragmentOf>,
}

impl Side {
    /// A direction that has done nothing yet.
    pub fn new(model: Direction) -> Side {
        Side {
            model,
            totals: Totals::default(),
            flows: Vec::new(),
            decision_at: None,
            datagrams: HashMap::new(),
            oldest: VecDeque::new(),
        }
    }

    /// Count an arriving frame; gives its flow. `next_index` numbers a flow that is new.
    pub fn count(&mut self, parsed: &Parsed, l2_bytes: usize, next_index: &mut u32) -> FlowId {
        let key = self.flow_key(parsed);
        let id = self.model.flow(&key);
        if id == self.flows.len() {
            self.flows.push(FlowTotals {
                key,
                packets: 0,
                l2_bytes: 0,
                l3_bytes: 0,
                payload_bytes: 0,
                dropped: 0,
                retransmissions: 0,
                next_sequence: None,
                index: *next_index,
            });
            *next_index += 1;
        }
        // A frame shorter than 60 bytes is not padded on a veth; count what is there.
        let l2 = (l2_bytes as u64).max(L2_HEADER as u64);
        let flow = &mut self.flows[id];
        let repeated = parsed
            .segment
            .is_some_and(|segment| flow.is_repeated(segment));
        flow.packets += 1;
        flow.l2_bytes += l2;
        flow.l3_bytes += u64::from(parsed.l3_bytes);
        flow.payload_bytes += u64::from(parsed.payload);
        flow.retransmissions += u64::from(repeated);
        self.totals.packets += 1;
        self.totals.l2_bytes += l2;
        self.totals.l3_bytes += u64::from(parsed.l3_bytes);
        self.totals.retransmissions += u64::from(repeated);
        if parsed.payload > 0 && !repeated {
            self.totals.data_l2_bytes += l2;
        }
        id
    }

    /// Keep the longest queue.
    pub fn measure_queue(&mut self) {
        self.totals.queue_max_bytes = self.totals.queue_max_bytes.max(self.model.queued_bytes());
    }

    /// Count a packet that was transmitted after `sojourn_ns`.
    pub fn count_sent(&mut self, sojourn_ns: u64) {
        self.totals.sojourn_ns += sojourn_ns;
        self.totals.transmitted += 1;
    }

    /// Count what else happened to a packet.
    pub fn count_mark(&mut self, mark: Mark) {
        self.totals.duplicated += u64::from(mark.duplicate);
        self.totals.corrupted += u64::from(mark.corrupt.is_some());
        self.totals.reordered += u64::from(mark.reordered);
    }

    /// Count a drop of a frame counted before.
    pub fn count_drop(&mut self, flow: FlowId, cause: Drop) {
        self.flows[flow].dropped += 1;
        self.totals.drop(cause);
    }

    /// Later fragments carry no ports: they belong to the flow of their first fragment.
    fn flow_key(&mut self, parsed: &Parsed) -> FlowKey {
        let Some(datagram) = parsed.fragment else {
            return parsed.key;
        };
        if parsed.later_fragment {
            return self.datagrams.get(&datagram).copied().unwrap_or(parsed.key);
        }
        if self.datagrams.insert(datagram, parsed.key).is_none() {
            self.oldest.push_back(datagram);
        }
        if self.oldest.len() > MAX_DATAGRAMS
            && let Some(old) = self.oldest.pop_front()
        {
            self.datagrams.remove(&old);
        }
        parsed.key
    }
}

#[cfg(test)]
mod tests {
    use super::Side;
    use crate::engine::frame::{FragmentOf, Parsed, Segment};
    use wirelab_link_model::{Direction, DirectionSpec, Draws, FlowKey};

    fn side() -> Side {
        Side::new(Direction::new(&DirectionSpec::IDEAL, Draws::new(1), 0).expect("a direction"))
    }

    fn packet(source_port: u16) -> Parsed {
        let key = FlowKey {
            source: [10, 77, 0, 1],
            destination: [10, 77, 0, 2],
            protocol: 6,
            source_port,
            destination_port: 80,
        };
        Parsed {
            key,
            l3_bytes: 100,
            payload: 60,
            segment: None,
            fragment: None,
            later_fragment: false,
        }
    }

    fn sent_again(segments: &[(u32, u32)]) -> u64 {
        let (mut side, mut index) = (side(), 0);
        for &(sequence, length) in segments {
            side.count(
                &Parsed {
                    segment: Some(Segment { sequence, length }),
                    ..packet(40000)
                },
                114,
                &mut index,
            );
        }
        side.totals.retransmissions
    }

    #[test]
    fn a_segment_seen_before_is_a_retransmission_and_new_data_is_not() {
        assert_eq!(sent_again(&[(1000, 1), (1001, 100), (1101, 100)]), 0);
        assert_eq!(
            sent_again(&[(1000, 100), (1100, 100), (1000, 100), (1200, 100)]),
            1
        );
        assert_eq!(sent_again(&[(1000, 100), (1000, 200)]), 1);
    }

    #[test]
    fn sequence_numbers_that_wrap_are_not_retransmissions() {
        assert_eq!(
            sent_again(&[(u32::MAX - 49, 100), (50, 100), (u32::MAX - 49, 100)]),
            1
        );
    }

    #[test]
    fn later_fragments_belong_to_the_flow_of_the_first() {
        let (mut side, mut index) = (side(), 0);
        let datagram = FragmentOf {
            source: [10, 77, 0, 1],
            destination: [10, 77, 0, 2],
            id: 9,
            protocol: 17,
        };
        let first = Parsed {
            fragment: Some(datagram),
            ..packet(40000)
        };
        let mut later = Parsed {
            fragment: Some(datagram),
            later_fragment: true,
            ..packet(0)
        };
        later.key.destination_port = 0;
        let id = side.count(&first, 114, &mut index);
        assert_eq!(side.count(&later, 114, &mut index), id);
        assert_eq!((side.flows.len(), side.flows[0].packets), (1, 2));
    }
}
