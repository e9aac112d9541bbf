//! The queue of disciplines that drop packets at dequeue.

use std::collections::VecDeque;

use super::codel::Codel;
use crate::flow::FlowId;
use crate::queue::QueueLimit;

/// A queued packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueuedPacket {
    pub ticket: u64,
    pub arrived: u64,
    pub flow: FlowId,
    pub number: u64,
    pub bytes: u32,
    pub lost: bool,
}

/// The queue, and CoDel's state.
#[derive(Debug, Clone, Default)]
pub(crate) struct DequeueAqm {
    packets: VecDeque<QueuedPacket>,
    bytes: u64,
    codel: Codel,
}

impl DequeueAqm {
    /// Bytes queued.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The packet at the head.
    pub fn head(&self) -> Option<&QueuedPacket> {
        self.packets.front()
    }

    /// Whether a packet of this size does not fit. Limits in time are not checked here.
    pub fn is_full(&self, limit: QueueLimit, bytes: u32) -> bool {
        match limit {
            QueueLimit::Packets(max) => self.packets.len() as u64 >= max,
            QueueLimit::Bytes(max) => self.bytes + u64::from(bytes) > max,
            QueueLimit::Unlimited | QueueLimit::Delay(_) => false,
        }
    }

    /// Add a packet.
    pub fn push(&mut self, packet: QueuedPacket) {
        self.bytes += u64::from(packet.bytes);
        self.packets.push_back(packet);
    }

    /// Remove the head.
    pub fn pop(&mut self) -> Option<QueuedPacket> {
        let head = self.packets.pop_front()?;
        self.bytes -= u64::from(head.bytes);
        Some(head)
    }

    /// Whether CoDel drops the head, which was dequeued at `now`. `times` are target and interval,
    /// ns.
    pub fn codel_drops(&mut self, head: &QueuedPacket, now: u64, times: (u64, u64)) -> bool {
        let seen = (now - head.arrived, self.bytes);
        self.codel.drops(now, seen, times)
    }
}
