//! Queue disciplines other than droptail. RED decides when a packet arrives, drophead and CoDel
//! when it is dequeued.

mod codel;
mod dequeue_aqm;
mod red;
#[cfg(test)]
mod tests;

pub(crate) use dequeue_aqm::{DequeueAqm, QueuedPacket};
pub(crate) use red::Red;

/// How a queue drops packets, in addition to its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Discipline {
    /// A full queue drops the arriving packet.
    DropTail,
    /// A full queue drops its oldest packet to admit the arriving one.
    DropHead,
    /// Packets are dropped at dequeue when waiting times stay too long (RFC 8289).
    Codel {
        /// Acceptable waiting time, ns.
        target_ns: u64,
        /// How long the target may be exceeded, ns.
        interval_ns: u64,
    },
    /// Packets are dropped with a probability that grows with the mean queue (Floyd and Jacobson
    /// 1993).
    Red {
        /// Below this mean queue nothing is dropped, bytes.
        min_bytes: u64,
        /// From this mean queue on everything is dropped, bytes.
        max_bytes: u64,
        /// Drop probability just below `max_bytes`.
        max_p: f64,
    },
}

impl Discipline {
    /// Whether a packet's fate is known only when it is dequeued.
    pub fn decides_at_dequeue(&self) -> bool {
        matches!(self, Discipline::DropHead | Discipline::Codel { .. })
    }
}
