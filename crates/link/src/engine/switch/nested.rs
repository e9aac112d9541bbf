//! Nested links: hosts whose link begins behind another host's link (their parent).
//!
//! A frame from a nested host passes its own `up`, then its parent's `up`, and so on to the switch.
//! A frame to it passes the `down` directions of the same links in reverse order. Hosts behind the
//! same link also reach each other through the switch.

use super::Switch;
use super::in_flight::{Departure, DirectionId, PacketContext};
use crate::engine::counters::DropReason;

impl Switch {
    /// The host behind whose link a host's link begins. None if its link begins at the switch.
    pub(super) fn parent(&self, host: usize) -> Option<usize> {
        self.links[host].nesting.map(|nesting| nesting.parent)
    }

    /// The host whose link begins at the switch, on the path to `host`.
    pub(super) fn outermost(&self, host: usize) -> usize {
        std::iter::successors(Some(host), |&host| self.parent(host))
            .last()
            .unwrap_or(host)
    }

    /// Whether other hosts' links begin behind this host's link.
    pub(super) fn has_nested_hosts(&self, host: usize) -> bool {
        self.nested_hosts > 0 && !self.nested_in(host).is_empty()
    }

    fn nested_in(&self, host: usize) -> Vec<usize> {
        (0..self.links.len())
            .filter(|&other| self.parent(other) == Some(host))
            .collect()
    }

    /// A packet leaves a `down`: it is sent to that link's host, forwarded to the links nested in
    /// it, or both.
    pub(super) fn leave_down(&mut self, packet: PacketContext, at: u64) -> Option<Departure> {
        let DirectionId::Down(here) = packet.direction else {
            return None;
        };
        let departure = Departure {
            port: here.into(),
            due: at,
            packet,
        };
        let here = usize::from(here);
        if !self.has_nested_hosts(here) {
            return Some(departure);
        }
        let destination = self.destination(&packet);
        let multicast = destination[0] & 1 == 1;
        let target = self.host_index(&destination);
        let sender = usize::from(packet.sender);
        for link in self.nested_in(here) {
            let wanted = multicast || target.is_some_and(|target| self.is_on_path(link, target));
            if wanted && (link != sender || self.has_nested_hosts(link)) {
                self.send_to_down(link, &packet, at);
            }
        }
        if (multicast && here != sender) || target == Some(here) {
            return Some(departure);
        }
        self.count_delivered(&packet);
        self.record(&packet, DropReason::None, at, at);
        self.frames.release(packet.frame);
        None
    }

    /// Whether the path from the switch to `target` includes the link of host `link`.
    fn is_on_path(&self, link: usize, target: usize) -> bool {
        std::iter::successors(Some(target), |&host| self.parent(host)).any(|host| host == link)
    }

    /// Forward a packet that leaves a host's `up`: to the parent's `up`, to the segment, or to the
    /// receivers.
    pub(super) fn forward_from_up(&mut self, packet: &PacketContext, host: usize, due: u64) {
        match self.parent(host) {
            Some(parent) => {
                self.schedule_entry(packet.redirected(DirectionId::Up(parent as u16)), due);
            }
            None if self.segment.is_some() => {
                self.schedule_entry(packet.redirected(DirectionId::Segment), due);
            }
            None => self.forward_to_receivers(packet, due),
        }
    }
}
