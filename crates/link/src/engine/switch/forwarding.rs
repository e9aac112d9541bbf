//! A packet's path: into a direction, through it, and on to the next one.

use std::cmp::Reverse;

use wirelab_link_model::{Fate, Impairments};

use super::in_flight::{Departure, DirectionId, PacketContext, Timer};
use super::{Switch, mac};
use crate::engine::counters::DropReason;

impl Switch {
    /// A packet enters its direction at `t`.
    ///
    /// Returns its departure if that is a receiver's `down` without delay, which saves a second
    /// timer.
    pub(super) fn enter(&mut self, mut packet: PacketContext, t: u64) -> Option<Departure> {
        self.conclude_decided(packet.direction, t);
        let l2_bytes = self.frames.bytes(packet.frame).len();
        let state = self.directions.get_mut(packet.direction);
        let flow = state.arrive(&packet.parsed, l2_bytes, &mut self.next_flow);
        // The key that the packet will have if its fate is undecided.
        let ticket = self.in_flight.vacant_key() as u64;
        let l3_bytes = packet.parsed.l3_bytes;
        let fate = state.model.arrive(t, flow, l3_bytes, ticket);
        state.count_queue(flow);
        (packet.arrived, packet.sent, packet.flow) = (t, t, flow as u32);
        if let (
            DirectionId::Down(_),
            Fate::Deliver {
                due, impairments, ..
            },
        ) = (packet.direction, fate)
            && due == t
            && impairments == Impairments::default()
        {
            state.count(flow, |totals| totals.sojourn_ns.record(0));
            return self.leave_down(packet, due);
        }
        self.conclude(packet, fate);
        None
    }

    /// Act on the fate of a packet that waits in a direction or has just entered it.
    fn conclude(&mut self, packet: PacketContext, fate: Fate) {
        match fate {
            Fate::Undecided => {
                self.in_flight.insert(packet);
                self.schedule_decision(packet.direction);
            }
            Fate::Deliver {
                sent,
                due,
                impairments,
            } => {
                let packet = PacketContext {
                    sent,
                    ..self.corrupt_frame(packet, impairments)
                };
                let state = self.directions.get_mut(packet.direction);
                state.count(packet.flow(), |totals| {
                    totals.sojourn_ns.record(sent - packet.arrived);
                    totals.count_impairments(impairments);
                });
                if impairments.duplicate {
                    self.frames.share(packet.frame);
                    self.pass_on(packet, due);
                }
                self.pass_on(packet, due);
            }
            Fate::Drop(cause) => {
                let state = self.directions.get_mut(packet.direction);
                state.count(packet.flow(), |totals| {
                    totals.dropped.count(cause.into());
                });
                self.record(&packet, cause.into(), 0, packet.arrived);
                self.frames.release(packet.frame);
            }
        }
    }

    /// Flip a bit if that was drawn. The frame is copied first, so that other receivers get it
    /// unchanged.
    fn corrupt_frame(&mut self, packet: PacketContext, impairments: Impairments) -> PacketContext {
        let Some(number) = impairments.corrupt else {
            return packet;
        };
        let bytes = self.frames.bytes(packet.frame).to_vec();
        let frame = self.frames.insert(&bytes);
        self.frames.release(packet.frame);
        self.frames.corrupt(frame, number);
        PacketContext { frame, ..packet }
    }

    /// Forward a packet that its direction delivers at `due`.
    fn pass_on(&mut self, packet: PacketContext, due: u64) {
        if let DirectionId::Down(_) = packet.direction {
            let key = self.in_flight.insert(packet);
            return self.add_timer(due, Timer::Leave(key as u32));
        }
        self.count_delivered(&packet);
        self.record(&packet, DropReason::None, due, due);
        match packet.direction {
            DirectionId::Up(host) => self.forward_from_up(&packet, host.into(), due),
            _ => self.forward_to_receivers(&packet, due),
        }
    }

    /// Count a packet that its direction has delivered.
    pub(super) fn count_delivered(&mut self, packet: &PacketContext) {
        let state = self.directions.get_mut(packet.direction);
        state.count(packet.flow(), |totals| totals.delivered += 1);
    }

    /// Forward from the switch to every receiver.
    pub(super) fn forward_to_receivers(&mut self, packet: &PacketContext, due: u64) {
        let from = usize::from(packet.sender);
        let destination = self.destination(packet);
        if destination[0] & 1 == 1 {
            for to in 0..self.links.len() {
                // The sender's own link is used only for the hosts nested in it.
                if self.parent(to).is_none() && (to != from || self.has_nested_hosts(to)) {
                    self.send_to_down(to, packet, due);
                }
            }
        } else if let Some(to) = self.host_index(&destination).filter(|&to| to != from) {
            self.send_to_down(self.outermost(to), packet, due);
        }
        self.frames.release(packet.frame);
    }

    /// A frame's destination MAC address.
    pub(super) fn destination(&self, packet: &PacketContext) -> [u8; 6] {
        let bytes = self.frames.bytes(packet.frame);
        bytes[..6].try_into().unwrap_or_default()
    }

    /// Send a further reference to the frame to a host's `down`.
    pub(super) fn send_to_down(&mut self, to: usize, packet: &PacketContext, due: u64) {
        self.frames.share(packet.frame);
        self.schedule_entry(packet.redirected(DirectionId::Down(to as u16)), due);
    }

    /// The host with this MAC address.
    pub(super) fn host_index(&self, address: &[u8; 6]) -> Option<usize> {
        let index = usize::from(u16::from_be_bytes([address[4], address[5]])).checked_sub(1)?;
        (index < self.links.len() && mac(index) == *address).then_some(index)
    }

    /// A decision timer has expired. A timer that an earlier one replaced is ignored.
    pub(super) fn handle_decision(&mut self, direction: DirectionId, at: u64) {
        let state = self.directions.get_mut(direction);
        if state.decision_at == Some(at) {
            state.decision_at = None;
            self.conclude_decided(direction, at);
        }
    }

    /// Conclude the packets on which a direction has decided by `t`.
    fn conclude_decided(&mut self, direction: DirectionId, t: u64) {
        while let Some((ticket, _, fate)) = self.directions.get_mut(direction).model.decided(t) {
            let packet = self.in_flight.remove(ticket as usize);
            self.conclude(packet, fate);
        }
        self.schedule_decision(direction);
    }

    fn schedule_decision(&mut self, direction: DirectionId) {
        let state = self.directions.get_mut(direction);
        let Some(next) = state.model.next_decision() else {
            return;
        };
        if state.decision_at.is_none_or(|set| next < set) {
            state.decision_at = Some(next);
            self.add_timer(next, Timer::Decision(direction));
        }
    }

    /// Let a packet enter its direction at a later time.
    pub(super) fn schedule_entry(&mut self, packet: PacketContext, at: u64) {
        let key = self.in_flight.insert(packet);
        self.add_timer(at, Timer::Enter(key as u32));
    }

    fn add_timer(&mut self, at: u64, timer: Timer) {
        self.order += 1;
        self.timers.push(Reverse((at, self.order, timer)));
    }
}
