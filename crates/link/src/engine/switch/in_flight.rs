//! Packets in flight: where each one is and what it waits for.

use crate::engine::frame::Parsed;
use crate::engine::frames::FrameId;

/// One of the lab's directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirectionId {
    /// From a host, by its index.
    Up(u16),
    /// The segment that all hosts share.
    Segment,
    /// To a host, by its index.
    Down(u16),
}

/// One frame on its way to a direction, or in one.
#[derive(Debug, Clone, Copy)]
pub struct PacketContext {
    /// Index of the host that sent it.
    pub sender: u16,
    pub frame: FrameId,
    pub parsed: Parsed,
    pub direction: DirectionId,
    /// When it entered the direction, virtual ns. Meaningless until it has.
    pub arrived: u64,
    /// When its last bit was sent in that direction, virtual ns. Meaningless until it was.
    pub sent: u64,
    /// Its flow in that direction. Meaningless until it has entered.
    pub flow: u32,
}

impl PacketContext {
    /// The same frame on its way to another direction.
    pub fn redirected(&self, direction: DirectionId) -> PacketContext {
        PacketContext { direction, ..*self }
    }

    /// Its flow as an index.
    pub fn flow(&self) -> usize {
        self.flow as usize
    }
}

/// A frame whose deadline has passed and that must be sent to a host.
#[derive(Debug, Clone, Copy)]
pub struct Departure {
    /// The port to send it to.
    pub port: usize,
    /// Virtual deadline, ns since the epoch.
    pub due: u64,
    pub packet: PacketContext,
}

/// What happens when a timer expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// The packet with this slab key reaches its direction.
    Enter(u32),
    /// The packet with this slab key leaves a `down` direction.
    Leave(u32),
    /// A direction decides on the packet at the head of its queue.
    Decision(DirectionId),
}
