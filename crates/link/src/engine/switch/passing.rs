//! A frame's way: into a direction, through it, and on to the next.

use std::cmp::Reverse;

use wirelab_link_model::{Fate, Mark};

use super::hops::{Hop, Passage, Place, Timer};
use super::{Due, Switch, mac};
use crate::engine::counters::Drop;

impl Switch {
    /// A frame has come to its place at `t`. Given back if it is a receiver's `down` that does not hold it up: then no second timer is needed.
    pub(super) fn enter(&mut self, hop: Hop, t: u64) -> Option<Due> {
        self.settle(hop.place, t);
        let l2_bytes = self.frames.bytes(hop.frame).len();
        let side = self.sides.at(hop.place);
        let flow = side.arrive(&hop.parsed, l2_bytes, &mut self.next_flow);
        let ticket = self.hops.next_id();
        let fate = side
            .model
            .arrive(t, flow, hop.parsed.l3_bytes, u64::from(ticket));
        side.count_queue(flow);
        let passage = Passage {
            arrived: t,
            flow: flow as u32,
        };
        if let (Place::Down(_), Fate::Deliver { due, mark, .. }) = (hop.place, fate)
            && due == t
            && mark == Mark::default()
        {
            side.count(flow, |totals| totals.sojourn_ns.record(0));
            return self.leave(hop, passage, due);
        }
        self.conclude(hop, passage, fate);
        None
    }

    /// Act on the fate of a hop that waits in, or has just come to, a direction.
    fn conclude(&mut self, hop: Hop, passage: Passage, fate: Fate) {
        match fate {
            Fate::Later => {
                self.hops.keep(Hop {
                    passage: Some(passage),
                    ..hop
                });
                self.set_decision(hop.place);
            }
            Fate::Deliver { sent, due, mark } => {
                let hop = self.damage(hop, mark);
                let side = self.sides.at(hop.place);
                side.count(passage.flow as usize, |totals| {
                    totals.sojourn_ns.record(sent - passage.arrived);
                    totals.count_mark(mark);
                });
                for _ in 0..u32::from(mark.duplicate) {
                    self.frames.share(hop.frame);
                    self.pass(hop, passage, due);
                }
                self.pass(hop, passage, due);
            }
            Fate::Drop(cause) => {
                let side = self.sides.at(hop.place);
                side.count(passage.flow as usize, |totals| {
                    totals.dropped.count(cause.into());
                });
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
        if let Place::Down(_) = hop.place {
            let passage = Some(passage);
            return self.wait(Hop { passage, ..hop }, due);
        }
        self.delivered(hop.place, passage);
        self.record(&hop, passage, Drop::None, (due, due));
        match hop.place {
            Place::Up(host) => self.after_up(&hop, host.into(), due),
            _ => self.forward(&hop, due),
        }
    }

    /// Count a frame that a direction has passed on.
    pub(super) fn delivered(&mut self, place: Place, passage: Passage) {
        let side = self.sides.at(place);
        side.count(passage.flow as usize, |totals| totals.delivered += 1);
    }

    /// From the switch to every receiver.
    pub(super) fn forward(&mut self, hop: &Hop, due: u64) {
        let from = usize::from(hop.sender);
        let destination = self.destination(hop);
        if destination[0] & 1 == 1 {
            for to in 0..self.links.len() {
                // The sender's own link only for those behind it.
                if self.outer(to).is_none() && (to != from || self.leads_on(to)) {
                    self.send_to(to, hop, due);
                }
            }
        } else if let Some(to) = self.host_of(&destination).filter(|&to| to != from) {
            self.send_to(self.outermost(to), hop, due);
        }
        self.release(hop);
    }

    /// The MAC address a frame is for.
    pub(super) fn destination(&self, hop: &Hop) -> [u8; 6] {
        let bytes = self.frames.bytes(hop.frame);
        bytes[..6].try_into().unwrap_or_default()
    }

    pub(super) fn release(&mut self, hop: &Hop) {
        self.frames.release(hop.frame);
    }

    pub(super) fn send_to(&mut self, to: usize, hop: &Hop, due: u64) {
        self.frames.share(hop.frame);
        self.wait(towards(hop, Place::Down(to as u16)), due);
    }

    pub(super) fn host_of(&self, address: &[u8; 6]) -> Option<usize> {
        let index = usize::from(u16::from_be_bytes([address[4], address[5]])).checked_sub(1)?;
        (index < self.links.len() && mac(index) == *address).then_some(index)
    }

    /// A decision that was set is due. One that was set before an earlier one is no longer meant.
    pub(super) fn decide(&mut self, place: Place, at: u64) {
        let side = self.sides.at(place);
        if side.decision_at == Some(at) {
            side.decision_at = None;
            self.settle(place, at);
        }
    }

    /// Conclude what a direction has decided by `t`.
    fn settle(&mut self, place: Place, t: u64) {
        while let Some((ticket, _, fate)) = self.sides.at(place).model.decided(t) {
            let hop = self.hops.take(ticket as u32);
            if let Some(passage) = hop.passage {
                self.conclude(hop, passage, fate);
            }
        }
        self.set_decision(place);
    }

    fn set_decision(&mut self, place: Place) {
        let side = self.sides.at(place);
        let Some(next) = side.model.next_decision() else {
            return;
        };
        if side.decision_at.is_none_or(|set| next < set) {
            side.decision_at = Some(next);
            self.set_timer(next, Timer::Decision(place));
        }
    }

    pub(super) fn wait(&mut self, hop: Hop, until: u64) {
        let id = self.hops.keep(hop);
        self.set_timer(until, Timer::Hop(id));
    }

    fn set_timer(&mut self, at: u64, timer: Timer) {
        self.order += 1;
        self.timers.push(Reverse((at, self.order, timer)));
    }
}

/// The same frame, on its way to a place.
pub(super) fn towards(hop: &Hop, place: Place) -> Hop {
    Hop {
        place,
        passage: None,
        ..*hop
    }
}
