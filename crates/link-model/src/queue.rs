//! Limits of the queue before a rate-limited link.

use std::collections::VecDeque;

/// Limit of a queue. The packet in transmission counts as queued unless the discipline drops at
/// dequeue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueLimit {
    /// No limit.
    Unlimited,
    /// Number of packets.
    Packets(u64),
    /// Layer-3 bytes.
    Bytes(u64),
    /// Waiting time before transmission starts, ns.
    Delay(u64),
}

/// The queue in virtual time: the departure time and size of each packet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Occupancy {
    leaving: VecDeque<(u64, u32)>,
    bytes: u64,
}

impl Occupancy {
    /// Remove packets that have departed by `t`.
    pub fn advance(&mut self, t: u64) {
        while let Some(&(finish, bytes)) = self.leaving.front() {
            if finish > t {
                break;
            }
            self.bytes -= u64::from(bytes);
            self.leaving.pop_front();
        }
    }

    /// Whether a packet may join at `t`.
    pub fn admits(&self, limit: QueueLimit, t: u64, bytes: u32) -> bool {
        match limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(max) => (self.leaving.len() as u64) < max,
            QueueLimit::Bytes(max) => self.bytes + u64::from(bytes) <= max,
            QueueLimit::Delay(max) => self.leaving.back().is_none_or(|&(free, _)| free - t <= max),
        }
    }

    pub fn join(&mut self, finish: u64, bytes: u32) {
        self.leaving.push_back((finish, bytes));
        self.bytes += u64::from(bytes);
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
