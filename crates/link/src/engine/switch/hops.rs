//! Frames on their way, and what they wait for.

use crate::engine::frame::Parsed;
use crate::engine::frames::FrameId;

/// One of the lab's directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// From a host.
    Up(u16),
    /// What all hosts share.
    Segment,
    /// To a host.
    Down(u16),
}

/// A frame on its way to a direction, or in one.
#[derive(Debug, Clone, Copy)]
pub struct Hop {
    /// Index of the host that sent it.
    pub sender: u16,
    pub frame: FrameId,
    pub parsed: Parsed,
    pub place: Place,
    /// None while it is still on its way to the place.
    pub passage: Option<Passage>,
}

/// When a frame came to a direction, and as part of which flow.
#[derive(Debug, Clone, Copy)]
pub struct Passage {
    pub arrived: u64,
    pub flow: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// A hop reaches its place, or leaves the last one.
    Hop(u32),
    /// A direction decides on the packet at the head of its queue.
    Decision(Place),
}

/// Hops by number, places used again and again.
#[derive(Default)]
pub struct Hops {
    all: Vec<Hop>,
    free: Vec<u32>,
}

impl Hops {
    /// The number the next hop will get.
    pub fn next_id(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.all.len() as u32)
    }

    /// Keep a hop under a number.
    pub fn keep(&mut self, hop: Hop) -> u32 {
        let id = self.next_id();
        match self.free.pop() {
            Some(id) => self.all[id as usize] = hop,
            None => self.all.push(hop),
        }
        id
    }

    /// Take a hop away.
    pub fn take(&mut self, id: u32) -> Hop {
        self.free.push(id);
        self.all[id as usize]
    }
}
