//! The star: every host's access link, and the switch in the middle. Works in virtual time; knows no socket.
//!
//! A frame passes the sender's `up`, then the segment if the lab has one, then the switch, then each receiver's `down`. What the segment and
//! `down` decide depends on the order in which frames of different senders reach them, so they are asked when the frame is there, with
//! that virtual time as arrival. Where `down` adds nothing the frame is sent in the same moment: one timer event per packet.

mod hops;
mod hosts;
mod inner;
mod passing;
mod records;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wirelab_link_model::{BadLink, DirectionSpec};

use super::accounting::{Counted, HostSnapshot};
use super::counters::{Drop, Side};
use super::frame::{self, Parsed};
use super::frames::{FrameId, Frames};
use hops::{Hop, Hops, Passage, Place, Timer};
use hosts::Sides;
pub use hosts::{HostLink, Inside, link_draws, mac};
pub use records::{Keep, Kept};

/// A frame whose deadline has come.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// The port to send it to.
    pub to: usize,
    /// The frame; to be released after sending.
    pub frame: FrameId,
    /// Virtual deadline, ns since the epoch.
    pub due: u64,
    sender: u16,
    passage: Passage,
    parsed: Parsed,
}

/// Links, frames in flight and counters of one lab.
pub struct Switch {
    links: Vec<HostLink>,
    /// How many of them begin behind another.
    inner: usize,
    segment: Option<DirectionSpec>,
    seed: u64,
    sides: Sides,
    frames: Frames,
    hops: Hops,
    /// (time, order of arrival, what): equal times keep their order.
    timers: BinaryHeap<Reverse<(u64, u64, Timer)>>,
    order: u64,
    next_flow: u32,
    keep: Keep,
    records: Vec<Kept>,
}

impl Switch {
    /// At virtual time 0. `segment` is what every frame passes between the sender's link and the receivers'.
    pub fn new(
        links: Vec<HostLink>,
        segment: Option<DirectionSpec>,
        seed: u64,
        keep: Keep,
    ) -> Result<Switch, BadLink> {
        Ok(Switch {
            sides: Sides::new(&links, segment.as_ref(), seed)?,
            inner: links.iter().filter(|link| link.inside.is_some()).count(),
            links,
            segment,
            seed,
            frames: Frames::default(),
            hops: Hops::default(),
            timers: BinaryHeap::new(),
            order: 0,
            next_flow: 0,
            keep,
            records: Vec::new(),
        })
    }

    /// Back to virtual time 0, as if new. Frames in flight are gone.
    pub fn restart(&mut self) {
        // The same specifications made these once already, so this cannot fail.
        if let Ok(fresh) = Sides::new(&self.links, self.segment.as_ref(), self.seed) {
            self.sides = fresh;
        }
        self.frames = Frames::default();
        self.hops = Hops::default();
        self.timers.clear();
        (self.order, self.next_flow) = (0, 0);
        self.records.clear();
    }

    /// One host more, from now on.
    pub fn add(&mut self, host: HostLink) -> Result<(), BadLink> {
        self.sides.add(&host, self.seed)?;
        self.inner += usize::from(host.inside.is_some());
        self.links.push(host);
        Ok(())
    }

    /// A frame arrived from host `from` at virtual time `t`.
    pub fn arrive(&mut self, from: usize, t: u64, bytes: &[u8]) {
        let Some(parsed) = frame::parse(bytes) else {
            return;
        };
        let hop = Hop {
            sender: from as u16,
            frame: self.frames.keep(bytes),
            parsed,
            place: Place::Up(from as u16),
            passage: None,
        };
        self.enter(hop, t);
    }

    /// The next time at which something is to be done.
    pub fn next(&self) -> Option<u64> {
        self.timers.peek().map(|Reverse((at, _, _))| *at)
    }

    /// A frame that is due at `t`, if there is one. Call until there is none.
    pub fn due(&mut self, t: u64) -> Option<Due> {
        while self.next().is_some_and(|at| at <= t) {
            let Reverse((at, _, timer)) = self.timers.pop()?;
            let due = match timer {
                Timer::Decision(place) => {
                    self.decide(place, at);
                    None
                }
                Timer::Hop(id) => {
                    let hop = self.hops.take(id);
                    match hop.passage {
                        Some(passage) => self.leave(hop, passage, at),
                        None => self.enter(hop, at),
                    }
                }
            };
            if due.is_some() {
                return due;
            }
        }
        None
    }

    /// The bytes of a frame in flight.
    pub fn bytes(&self, frame: FrameId) -> &[u8] {
        self.frames.bytes(frame)
    }

    /// A frame left at virtual time `egress`; None if the kernel refused it.
    pub fn sent(&mut self, sent: &Due, egress: Option<u64>) {
        let place = Place::Down(sent.to as u16);
        let flow = sent.passage.flow as usize;
        let side = self.sides.at(place);
        let drop = if let Some(egress) = egress {
            side.count(flow, |totals| totals.delivered += 1);
            let late = egress.saturating_sub(sent.due);
            side.flows[flow].lateness.record(late);
            Drop::None
        } else {
            side.count(flow, |totals| totals.dropped.count(Drop::Own));
            Drop::Own
        };
        let hop = Hop {
            sender: sent.sender,
            frame: sent.frame,
            parsed: sent.parsed,
            place,
            passage: Some(sent.passage),
        };
        self.record(&hop, sent.passage, drop, (egress.unwrap_or(0), sent.due));
        self.frames.release(sent.frame);
    }

    /// What was kept since the last call.
    pub fn take_records(&mut self) -> std::vec::Drain<'_, Kept> {
        self.records.drain(..)
    }

    /// All counters of the hosts, and of the segment.
    pub fn snapshot(&self) -> (Vec<HostSnapshot>, Option<Counted>) {
        let copy = |side: &Side| (side.totals, side.flows.clone());
        let hosts = self.links.iter().zip(&self.sides.hosts);
        let hosts = hosts.map(|(link, host)| HostSnapshot {
            name: link.name.clone(),
            up: copy(&host.up),
            down: copy(&host.down),
        });
        (hosts.collect(), self.sides.segment.as_ref().map(copy))
    }
}

impl Due {
    /// A hop that is done with a receiver's `down`.
    fn of(hop: &Hop, passage: Passage, due: u64) -> Option<Due> {
        let Place::Down(to) = hop.place else {
            return None;
        };
        Some(Due {
            to: to.into(),
            frame: hop.frame,
            due,
            sender: hop.sender,
            passage,
            parsed: hop.parsed,
        })
    }
}
