//! The switch: a star of access links, in virtual time. It uses no socket and no clock.
//!
//! A frame passes the sender's `up`, then the segment if the lab has one, then each receiver's
//! `down`. What the segment and `down` decide depends on the order in which frames of different
//! senders reach them. So each model is called when the frame reaches it, with that virtual time as
//! arrival. If `down` adds no delay, the frame departs at once: one timer per packet.

mod capture;
mod forwarding;
mod hosts;
mod in_flight;
mod nested;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use slab::Slab;
use wirelab_link_model::{BadLink, DirectionSpec};

use super::accounting::{DirectionCounters, HostSnapshot};
use super::counters::{DirectionState, DropReason};
use super::frame;
use super::frames::Frames;
pub use capture::{CaptureLevel, CapturedPacket};
use hosts::Directions;
pub use hosts::{HostLink, Nesting, link_rng, mac};
pub use in_flight::Departure;
use in_flight::{DirectionId, PacketContext, Timer};

/// Links, packets in flight and counters of one lab.
pub struct Switch {
    links: Vec<HostLink>,
    /// Number of links that begin behind another link.
    nested_hosts: usize,
    segment: Option<DirectionSpec>,
    seed: u64,
    directions: Directions,
    frames: Frames,
    in_flight: Slab<PacketContext>,
    /// (time, order of insertion, timer): timers of equal time expire in order of insertion.
    timers: BinaryHeap<Reverse<(u64, u64, Timer)>>,
    order: u64,
    next_flow: u32,
    capture_level: CaptureLevel,
    records: Vec<CapturedPacket>,
}

impl Switch {
    /// A switch at virtual time 0. Every frame passes `segment` between the sender's link and the
    /// receivers' links.
    pub fn new(
        links: Vec<HostLink>,
        segment: Option<DirectionSpec>,
        seed: u64,
        capture_level: CaptureLevel,
    ) -> Result<Switch, BadLink> {
        Ok(Switch {
            directions: Directions::new(&links, segment.as_ref(), seed)?,
            nested_hosts: links.iter().filter(|link| link.nesting.is_some()).count(),
            links,
            segment,
            seed,
            frames: Frames::default(),
            in_flight: Slab::new(),
            timers: BinaryHeap::new(),
            order: 0,
            next_flow: 0,
            capture_level,
            records: Vec::new(),
        })
    }

    /// Reset to virtual time 0, as if new. Packets in flight are discarded.
    pub fn restart(&mut self) {
        // Cannot fail: the same specifications were accepted before.
        if let Ok(fresh) = Directions::new(&self.links, self.segment.as_ref(), self.seed) {
            self.directions = fresh;
        }
        self.frames = Frames::default();
        self.in_flight.clear();
        self.timers.clear();
        (self.order, self.next_flow) = (0, 0);
        self.records.clear();
    }

    /// Add a host.
    pub fn add_host(&mut self, host: HostLink) -> Result<(), BadLink> {
        self.directions.add_host(&host, self.seed)?;
        self.nested_hosts += usize::from(host.nesting.is_some());
        self.links.push(host);
        Ok(())
    }

    /// A frame arrives from host `from` at virtual time `t`.
    pub fn arrive(&mut self, from: usize, t: u64, bytes: &[u8]) {
        let Some(parsed) = frame::parse(bytes) else {
            return;
        };
        let packet = PacketContext {
            sender: from as u16,
            frame: self.frames.insert(bytes),
            parsed,
            direction: DirectionId::Up(from as u16),
            arrived: t,
            sent: t,
            flow: 0,
        };
        // Only a `down` returns a departure.
        self.enter(packet, t);
    }

    /// The time of the next timer.
    pub fn next(&self) -> Option<u64> {
        self.timers.peek().map(|Reverse((at, _, _))| *at)
    }

    /// The next departure due at `t`. Call until it returns None.
    pub fn next_departure(&mut self, t: u64) -> Option<Departure> {
        while self.next().is_some_and(|at| at <= t) {
            let Reverse((at, _, timer)) = self.timers.pop()?;
            let departure = match timer {
                Timer::Decision(direction) => {
                    self.handle_decision(direction, at);
                    None
                }
                Timer::Enter(key) => {
                    let packet = self.in_flight.remove(key as usize);
                    self.enter(packet, at)
                }
                Timer::Leave(key) => {
                    let packet = self.in_flight.remove(key as usize);
                    self.leave_down(packet, at)
                }
            };
            if departure.is_some() {
                return departure;
            }
        }
        None
    }

    /// The bytes of a frame that departs.
    pub fn bytes(&self, departure: &Departure) -> &[u8] {
        self.frames.bytes(departure.packet.frame)
    }

    /// Count a departure that was sent at virtual time `egress`, or that the kernel refused (None),
    /// and release its frame.
    pub fn complete(&mut self, departure: &Departure, egress: Option<u64>) {
        let Departure { due, packet, .. } = *departure;
        let state = self.directions.get_mut(packet.direction);
        let drop = if let Some(egress) = egress {
            state.count(packet.flow(), |totals| totals.delivered += 1);
            let late = egress.saturating_sub(due);
            state.flows[packet.flow()].lateness.record(late);
            DropReason::None
        } else {
            state.count(packet.flow(), |totals| {
                totals.dropped.count(DropReason::Own);
            });
            DropReason::Own
        };
        self.record(&packet, drop, egress.unwrap_or(0), due);
        self.frames.release(packet.frame);
    }

    /// The packets recorded since the last call.
    pub fn take_records(&mut self) -> std::vec::Drain<'_, CapturedPacket> {
        self.records.drain(..)
    }

    /// All counters of the hosts, and of the segment.
    pub fn snapshot(&self) -> (Vec<HostSnapshot>, Option<DirectionCounters>) {
        let copy = |state: &DirectionState| (state.totals, state.flows.clone());
        let hosts = self.links.iter().zip(&self.directions.hosts);
        let hosts = hosts.map(|(link, host)| HostSnapshot {
            name: link.name.clone(),
            up: copy(&host.up),
            down: copy(&host.down),
        });
        (hosts.collect(), self.directions.segment.as_ref().map(copy))
    }
}
