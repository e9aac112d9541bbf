//! Links in a row: hosts whose link begins behind another host's.
//!
//! Their frames pass their own `up`, then that of the host they are behind, and so on to the switch; and the same links' `down` on the
//! way back. Hosts behind one link meet at the switch, too.

use super::hops::{Hop, Passage, Place};
use super::passing::towards;
use super::{Due, Switch};
use crate::engine::counters::Drop;

impl Switch {
    /// Behind whose link a host's begins.
    pub(super) fn outer(&self, host: usize) -> Option<usize> {
        self.links[host].inside.map(|inside| inside.behind)
    }

    /// The link at the switch on the way to a host.
    pub(super) fn outermost(&self, host: usize) -> usize {
        std::iter::successors(Some(host), |&host| self.outer(host))
            .last()
            .unwrap_or(host)
    }

    /// Whether there are links behind a host's.
    pub(super) fn leads_on(&self, host: usize) -> bool {
        self.inner > 0 && !self.behind(host).is_empty()
    }

    fn behind(&self, host: usize) -> Vec<usize> {
        (0..self.links.len())
            .filter(|&other| self.outer(other) == Some(host))
            .collect()
    }

    /// A frame is done with a `down`: it is sent to that link's host, goes on to links behind it, or both.
    pub(super) fn leave(&mut self, hop: Hop, passage: Passage, at: u64) -> Option<Due> {
        let Place::Down(here) = hop.place else {
            return None;
        };
        let here = usize::from(here);
        if !self.leads_on(here) {
            return Due::of(&hop, passage, at);
        }
        let next = self.behind(here);
        let destination = self.destination(&hop);
        let all = destination[0] & 1 == 1;
        let target = self.host_of(&destination);
        let sender = usize::from(hop.sender);
        for link in next {
            let wanted = all || target.is_some_and(|target| self.passes(link, target));
            if wanted && (link != sender || self.leads_on(link)) {
                self.send_to(link, &hop, at);
            }
        }
        if (all && here != sender) || target == Some(here) {
            return Due::of(&hop, passage, at);
        }
        self.delivered(hop.place, passage);
        self.record(&hop, passage, Drop::None, (at, at));
        self.release(&hop);
        None
    }

    /// Whether the way from the switch to `target` passes the link of host `link`.
    fn passes(&self, link: usize, target: usize) -> bool {
        std::iter::successors(Some(target), |&host| self.outer(host)).any(|host| host == link)
    }

    /// Where a frame goes after a host's `up`.
    pub(super) fn after_up(&mut self, hop: &Hop, host: usize, due: u64) {
        match self.outer(host) {
            Some(outer) => self.wait(towards(hop, Place::Up(outer as u16)), due),
            None if self.segment.is_some() => self.wait(towards(hop, Place::Segment), due),
            None => self.forward(hop, due),
        }
    }
}
