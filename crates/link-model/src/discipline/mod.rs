//! Queue disciplines other than droptail: RED decides when a packet arrives, drophead and CoDel when its turn comes.

mod codel;
mod dequeue_aqm;
mod red;
#[cfg(test)]
mod tests;

pub(crate) use dequeue_aqm::{DequeueAqm, QueuedPacket};
pub(crate) use red::Red;

/// How a queue keeps itself short, besides its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Discipline {
    /// A full queue refuses the packet that arrives.
    DropTail,
    /// A full queue drops its oldest packet for the one that arrives.
    DropHead,
    /// Packets that waited too long for too long are dropped when their turn comes (RFC 8289).
    Codel {
        /// Waiting time that is acceptable, ns.
        target_ns: u64,
        /// How long it may be exceeded, ns.
        interval_ns: u64,
    },
    /// Dropped with a probability that grows with the mean queue (Floyd and Jacobson 1993).
    Red {
        /// Below this mean queue nothing is dropped, bytes.
        min_bytes: u64,
        /// From this mean queue on everything is, bytes.
        max_bytes: u64,
        /// Probability just below `max_bytes`.
        max_p: f64,
    },
}

impl Discipline {
    /// Whether a packet's fate is known only when its turn comes.
    pub fn decides_at_dequeue(&self) -> bool {
        matches!(self, Discipline::DropHead | Discipline::Codel { .. })
    }
}
