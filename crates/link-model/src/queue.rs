//! How long the queue before a rate-limited link may grow.

use std::collections::VecDeque;

/// Limit of a queue. The packet in transmission counts as queued where packets are decided on at arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueLimit {
    /// None.
    Unlimited,
    /// So many packets.
    Packets(u64),
    /// So many layer-3 bytes.
    Bytes(u64),
    /// So many ns of waiting before transmission begins.
    Delay(u64),
}

/// What waits in virtual time: when each packet leaves, and its bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Occupancy {
    leaving: VecDeque<(u64, u32)>,
    bytes: u64,
}

impl Occupancy {
    /// Forget packets that have left by `t`.
    pub fn advance(&mut self, t: u64) {
        while let Some(&(finish, bytes)) = self.leaving.front() {
            if finish > t {
                break;
            }
            self.bytes -= u64::from(bytes);
            self.leaving.pop_front();
        }
    }

    /// Whether a packet may join at time `t`.
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
