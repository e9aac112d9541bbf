//! The star: every host's access link, and the switch in the middle. Works in virtual time; knows no socket.
//!
//! A frame passes the sender's `up`, then the switch, then each receiver's `down`. What `down` decides depends on the order in which
//! frames of different senders reach it, so it is asked when the frame reaches the switch, with that virtual time as arrival. Where
//! `down` adds nothing the frame is sent in the same moment: one timer event per packet.

mod hops;
mod hosts;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wirelab_link_model::{BadLink, Fate, Mark};

use super::accounting::HostSnapshot;
use super::counters::{Drop, Side};
use super::frame::{self, Parsed};
use super::frames::{FrameId, Frames};
use super::log::Record;
use hops::{Hop, Hops, Passage, Stage, Timer};
use hosts::{Host, hosts};
pub use hosts::{HostLink, link_draws, mac};

/// A frame whose deadline has come.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// The port to send it to.
    pub to: usize,
    /// The frame; to be released after sending.
    pub frame: FrameId,
    /// Virtual deadline, ns since the epoch.
    pub due: u64,
    passage: Passage,
    parsed: Parsed,
}

/// What is kept of every packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Keep {
    /// Counters only.
    Nothing,
    /// A record.
    Records,
    /// A record and the frame.
    Frames,
}

/// A record, in virtual time (0 for an egress that never was), and the frame where it is kept.
pub type Kept = (Record, Vec<u8>);

/// Links, frames in flight and counters of one lab.
pub struct Switch {
    links: Vec<HostLink>,
    seed: u64,
    hosts: Vec<Host>,
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
    /// At virtual time 0.
    pub fn new(links: Vec<HostLink>, seed: u64, keep: Keep) -> Result<Switch, BadLink> {
        Ok(Switch {
            hosts: hosts(&links, seed)?,
            links,
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
        // The same specifications made hosts once already, so this cannot fail.
        if let Ok(fresh) = hosts(&self.links, self.seed) {
            self.hosts = fresh;
        }
        self.frames = Frames::default();
        self.hops = Hops::default();
        self.timers.clear();
        (self.order, self.next_flow) = (0, 0);
        self.records.clear();
    }

    /// A frame arrived from host `from` at virtual time `t`.
    pub fn arrive(&mut self, from: usize, t: u64, bytes: &[u8]) {
        let Some(parsed) = frame::parse(bytes) else {
            return;
        };
        self.settle(from, true, t);
        let side = &mut self.hosts[from].up;
        let flow = side.count(&parsed, bytes.len(), &mut self.next_flow);
        let ticket = self.hops.next_id();
        let fate = side
            .model
            .arrive(t, flow, parsed.l3_bytes, u64::from(ticket));
        side.measure_queue();
        let frame = self.frames.keep(bytes);
        let passage = Passage {
            arrived: t,
            flow: flow as u32,
        };
        self.conclude(
            Hop {
                host: from as u16,
                frame,
                parsed,
                stage: Stage::Up(passage),
            },
            fate,
        );
    }

    /// Act on the fate of a hop that waits in, or has just come to, a direction.
    fn conclude(&mut self, hop: Hop, fate: Fate) {
        let (passage, up) = match hop.stage {
            Stage::Up(passage) => (passage, true),
            Stage::Down(passage) => (passage, false),
            Stage::Switch => return,
        };
        let host = usize::from(hop.host);
        let side = self.hosts[host].side(up);
        match fate {
            Fate::Later => {
                self.hops.keep(hop);
                self.set_decision(host, up);
            }
            Fate::Deliver { sent, due, mark } => {
                let hop = self.damage(hop, mark);
                let side = self.hosts[host].side(up);
                side.count_sent(sent - passage.arrived);
                side.count_mark(mark);
                for _ in 0..u32::from(mark.duplicate) {
                    self.frames.share(hop.frame);
                    self.pass(hop, passage, due);
                }
                self.pass(hop, passage, due);
            }
            Fate::Drop(cause) => {
                side.count_drop(passage.flow as usize, cause.into());
                self.record(&hop, passage, cause.into(), (0, passage.arrived));
                self.frames.release(hop.frame);
            }
        }
    }

    /// Flip a bit where that was drawn. Other receivers of the same frame keep theirs whole.
    fn damage(&mut self, hop: Hop, mark: Mark) -> Hop {
        let Some(number) = mark.corrupt else {
            return hop;
        };
        let bytes = self.frames.bytes(hop.frame).to_vec();
        let frame = self.frames.keep(&bytes);
        self.frames.release(hop.frame);
        self.frames.corrupt(frame, number);
        Hop { frame, ..hop }
    }

    /// On from a direction that delivers.
    fn pass(&mut self, hop: Hop, passage: Passage, due: u64) {
        if let Stage::Up(_) = hop.stage {
            self.hosts[usize::from(hop.host)].up.totals.delivered += 1;
            self.record(&hop, passage, Drop::None, (due, due));
            self.forward(&hop, due);
        } else {
            let id = self.hops.keep(hop);
            self.set_timer(due, Timer::Hop(id));
        }
    }

    /// Conclude what a direction has decided by `t`.
    fn settle(&mut self, host: usize, up: bool, t: u64) {
        while let Some((ticket, _, fate)) = self.hosts[host].side(up).model.decided(t) {
            let hop = self.hops.take(ticket as u32);
            self.conclude(hop, fate);
        }
        self.set_decision(host, up);
    }

    fn set_decision(&mut self, host: usize, up: bool) {
        let side = self.hosts[host].side(up);
        let next = side.model.next_decision();
        if next.is_some_and(|next| side.decision_at.is_none_or(|set| next < set)) {
            side.decision_at = next;
            self.set_timer(
                next.unwrap_or(0),
                Timer::Decision {
                    host: host as u16,
                    up,
                },
            );
        }
    }

    /// From the switch to every receiver.
    fn forward(&mut self, hop: &Hop, due: u64) {
        let from = usize::from(hop.host);
        let destination: [u8; 6] = self.frames.bytes(hop.frame)[..6]
            .try_into()
            .unwrap_or_default();
        if destination[0] & 1 == 1 {
            for to in (0..self.hosts.len()).filter(|&to| to != from) {
                self.send_to(to, hop, due);
            }
        } else if let Some(to) = self.host_of(&destination).filter(|&to| to != from) {
            self.send_to(to, hop, due);
        }
        self.frames.release(hop.frame);
    }

    fn send_to(&mut self, to: usize, hop: &Hop, due: u64) {
        self.frames.share(hop.frame);
        let id = self.hops.keep(Hop {
            host: to as u16,
            stage: Stage::Switch,
            ..*hop
        });
        self.set_timer(due, Timer::Hop(id));
    }

    fn host_of(&self, address: &[u8; 6]) -> Option<usize> {
        let index = usize::from(u16::from_be_bytes([address[4], address[5]])).checked_sub(1)?;
        (index < self.hosts.len() && mac(index) == *address).then_some(index)
    }

    fn set_timer(&mut self, at: u64, timer: Timer) {
        self.order += 1;
        self.timers.push(Reverse((at, self.order, timer)));
    }

    /// The next time at which something is to be done.
    pub fn next(&self) -> Option<u64> {
        self.timers.peek().map(|Reverse((at, _, _))| *at)
    }

    /// A frame that is due at `t`, if there is one. Call until there is none.
    pub fn due(&mut self, t: u64) -> Option<Due> {
        while self.next().is_some_and(|at| at <= t) {
            let Reverse((at, _, timer)) = self.timers.pop()?;
            let id = match timer {
                Timer::Hop(id) => id,
                Timer::Decision { host, up } => {
                    let side = self.hosts[usize::from(host)].side(up);
                    // One that was set before an earlier one is no longer meant.
                    if side.decision_at == Some(at) {
                        side.decision_at = None;
                        self.settle(usize::from(host), up, at);
                    }
                    continue;
                }
            };
            let hop = self.hops.take(id);
            if let Stage::Down(passage) = hop.stage {
                return Some(Due {
                    to: hop.host.into(),
                    frame: hop.frame,
                    due: at,
                    passage,
                    parsed: hop.parsed,
                });
            }
            if let Some(due) = self.reach_down(hop, at) {
                return Some(due);
            }
        }
        None
    }

    /// A frame has come from the switch to its receiver's `down`. Given back if nothing holds it up there: then no second timer is needed.
    fn reach_down(&mut self, hop: Hop, at: u64) -> Option<Due> {
        let to = usize::from(hop.host);
        self.settle(to, false, at);
        let l2_bytes = self.frames.bytes(hop.frame).len();
        let side = &mut self.hosts[to].down;
        let flow = side.count(&hop.parsed, l2_bytes, &mut self.next_flow);
        let ticket = self.hops.next_id();
        let fate = side
            .model
            .arrive(at, flow, hop.parsed.l3_bytes, u64::from(ticket));
        side.measure_queue();
        let passage = Passage {
            arrived: at,
            flow: flow as u32,
        };
        if let Fate::Deliver { due, mark, .. } = fate
            && due == at
            && mark == Mark::default()
        {
            side.count_sent(0);
            return Some(Due {
                to,
                frame: hop.frame,
                due,
                passage,
                parsed: hop.parsed,
            });
        }
        self.conclude(
            Hop {
                stage: Stage::Down(passage),
                ..hop
            },
            fate,
        );
        None
    }

    /// The bytes of a frame in flight.
    pub fn bytes(&self, frame: FrameId) -> &[u8] {
        self.frames.bytes(frame)
    }

    /// A frame left at virtual time `egress`; None if the kernel refused it.
    pub fn sent(&mut self, sent: &Due, egress: Option<u64>) {
        let side = &mut self.hosts[sent.to].down;
        let drop = if egress.is_some() {
            side.totals.delivered += 1;
            Drop::None
        } else {
            side.count_drop(sent.passage.flow as usize, Drop::Own);
            Drop::Own
        };
        let stage = Stage::Down(sent.passage);
        let hop = Hop {
            host: sent.to as u16,
            frame: sent.frame,
            parsed: sent.parsed,
            stage,
        };
        self.record(&hop, sent.passage, drop, (egress.unwrap_or(0), sent.due));
        self.frames.release(sent.frame);
    }

    /// What was kept since the last call.
    pub fn take_records(&mut self) -> std::vec::Drain<'_, Kept> {
        self.records.drain(..)
    }

    /// All counters of the hosts.
    pub fn snapshot(&self) -> Vec<HostSnapshot> {
        let copy = |side: &Side| (side.totals.clone(), side.flows.clone());
        self.links
            .iter()
            .zip(&self.hosts)
            .map(|(link, host)| HostSnapshot {
                name: link.name.clone(),
                up: copy(&host.up),
                down: copy(&host.down),
            })
            .collect()
    }

    /// `times` are egress and deadline.
    fn record(&mut self, hop: &Hop, passage: Passage, drop: Drop, times: (u64, u64)) {
        if self.keep == Keep::Nothing {
            return;
        }
        let up = matches!(hop.stage, Stage::Up(_));
        let side = self.hosts[usize::from(hop.host)].side(up);
        let record = Record {
            ingress: passage.arrived as i64,
            egress: times.0 as i64,
            flow: side.flows[passage.flow as usize].index,
            l3_bytes: hop.parsed.l3_bytes,
            payload: hop.parsed.payload,
            host: hop.host.min(255) as u8,
            direction: u8::from(!up),
            drop: drop as u8,
            protocol: hop.parsed.key.protocol,
            due: times.1 as i64,
        };
        let frame = if self.keep == Keep::Frames {
            self.frames.bytes(hop.frame).to_vec()
        } else {
            vec![]
        };
        self.records.push((record, frame));
    }
}
