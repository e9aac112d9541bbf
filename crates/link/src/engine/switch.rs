//! The star: every host's access link, and the switch in the middle. Works in virtual time; knows no socket.
//!
//! A frame passes the sender's `up`, then the switch, then each receiver's `down`. What `down` decides depends on the order in which
//! frames of different senders reach it, so it is asked when the frame reaches the switch, with that virtual time as arrival. Where
//! `down` adds nothing the frame is sent in the same moment: one timer event per packet.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wirelab_link_model::{BadLink, Direction, Draws, Fate, LinkSpec};

use super::accounting::HostSnapshot;
use super::counters::{Drop, Side};
use super::frame::{self, Parsed};
use super::frames::{FrameId, Frames};
use super::log::Record;

/// A host's link as asked for.
#[derive(Debug, Clone)]
pub struct HostLink {
    /// The host's name.
    pub name: String,
    /// Its access link.
    pub link: LinkSpec,
    /// Where in its trace virtual time 0 falls.
    pub trace_offset_ns: u64,
}

/// A frame on its way to one host.
#[derive(Debug, Clone, Copy)]
struct Hop {
    to: u16,
    frame: FrameId,
    parsed: Parsed,
    /// Set once `down` has decided: its arrival there and its flow.
    down: Option<(u64, u32)>,
}

/// A frame whose deadline has come.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// The port to send it to.
    pub to: usize,
    /// The frame; to be released after sending.
    pub frame: FrameId,
    /// Virtual deadline, ns since the epoch.
    pub due: u64,
    arrived: u64,
    flow: u32,
    parsed: Parsed,
}

/// MAC address of host `index`.
pub fn mac(index: usize) -> [u8; 6] {
    let [high, low] = (index as u16 + 1).to_be_bytes();
    [0x02, 0x77, 0, 0, high, low]
}

struct Host {
    up: Side,
    down: Side,
}

/// Links, frames in flight and counters of one lab.
pub struct Switch {
    links: Vec<HostLink>,
    seed: u64,
    hosts: Vec<Host>,
    frames: Frames,
    hops: Vec<Hop>,
    free_hops: Vec<u32>,
    /// (deadline, order of arrival, hop): equal deadlines keep their order.
    timers: BinaryHeap<Reverse<(u64, u64, u32)>>,
    order: u64,
    next_flow: u32,
    records: Option<Vec<Record>>,
}

impl Switch {
    /// At virtual time 0. `logged`: keep records for the packet log.
    pub fn new(links: Vec<HostLink>, seed: u64, logged: bool) -> Result<Switch, BadLink> {
        Ok(Switch {
            hosts: hosts(&links, seed)?,
            links,
            seed,
            frames: Frames::default(),
            hops: Vec::new(),
            free_hops: Vec::new(),
            timers: BinaryHeap::new(),
            order: 0,
            next_flow: 0,
            records: logged.then(Vec::new),
        })
    }

    /// Back to virtual time 0, as if new. Frames in flight are gone.
    pub fn restart(&mut self) {
        // The same specifications made hosts once already, so this cannot fail.
        if let Ok(fresh) = hosts(&self.links, self.seed) {
            self.hosts = fresh;
        }
        self.frames = Frames::default();
        self.hops.clear();
        self.free_hops.clear();
        self.timers.clear();
        (self.order, self.next_flow) = (0, 0);
        self.records.iter_mut().for_each(Vec::clear);
    }

    /// A frame arrived from host `from` at virtual time `t`.
    pub fn arrive(&mut self, from: usize, t: u64, bytes: &[u8]) {
        let Some(parsed) = frame::parse(bytes) else {
            return;
        };
        let side = &mut self.hosts[from].up;
        let flow = side.count(&parsed, bytes.len(), &mut self.next_flow);
        let fate = decide(side, t, flow, &parsed);
        let egress = match fate {
            Fate::Deliver { due, .. } => {
                side.totals.delivered += 1;
                (due, due)
            }
            Fate::Drop(_) => (0, t),
        };
        let (index, drop) = (side.flows[flow].index, cause(fate));
        self.record(from, 0, &parsed, index, drop, (t, egress.0, egress.1));
        if let Fate::Deliver { due, .. } = fate {
            self.forward(from, due, bytes, parsed);
        }
    }

    fn forward(&mut self, from: usize, due: u64, bytes: &[u8], parsed: Parsed) {
        let frame = self.frames.keep(bytes);
        if bytes[0] & 1 == 1 {
            for to in (0..self.hosts.len()).filter(|&to| to != from) {
                self.frames.share(frame);
                self.set_timer(
                    due,
                    Hop {
                        to: to as u16,
                        frame,
                        parsed,
                        down: None,
                    },
                );
            }
        } else if let Some(to) = self.host_of(&bytes[..6]).filter(|&to| to != from) {
            self.frames.share(frame);
            self.set_timer(
                due,
                Hop {
                    to: to as u16,
                    frame,
                    parsed,
                    down: None,
                },
            );
        }
        self.frames.release(frame);
    }

    fn host_of(&self, address: &[u8]) -> Option<usize> {
        let index = usize::from(u16::from_be_bytes([address[4], address[5]])).checked_sub(1)?;
        (index < self.hosts.len() && mac(index) == *address).then_some(index)
    }

    fn set_timer(&mut self, due: u64, hop: Hop) {
        let id = match self.free_hops.pop() {
            Some(id) => {
                self.hops[id as usize] = hop;
                id
            }
            None => {
                self.hops.push(hop);
                (self.hops.len() - 1) as u32
            }
        };
        self.order += 1;
        self.timers.push(Reverse((due, self.order, id)));
    }

    /// The next deadline.
    pub fn next(&self) -> Option<u64> {
        self.timers.peek().map(|Reverse((due, _, _))| *due)
    }

    /// A frame that is due at `t`, if there is one. Call until there is none.
    pub fn due(&mut self, t: u64) -> Option<Due> {
        while self.next().is_some_and(|due| due <= t) {
            let Reverse((due, _, id)) = self.timers.pop()?;
            let hop = self.hops[id as usize];
            self.free_hops.push(id);
            let to = usize::from(hop.to);
            if let Some((arrived, flow)) = hop.down {
                return Some(Due {
                    to,
                    frame: hop.frame,
                    due,
                    arrived,
                    flow,
                    parsed: hop.parsed,
                });
            }
            let l2_bytes = self.frames.bytes(hop.frame).len();
            let side = &mut self.hosts[to].down;
            let flow = side.count(&hop.parsed, l2_bytes, &mut self.next_flow);
            match decide(side, due, flow, &hop.parsed) {
                Fate::Deliver { due: later, .. } if later <= t => {
                    return Some(Due {
                        to,
                        frame: hop.frame,
                        due: later,
                        arrived: due,
                        flow: flow as u32,
                        parsed: hop.parsed,
                    });
                }
                Fate::Deliver { due: later, .. } => {
                    self.set_timer(
                        later,
                        Hop {
                            down: Some((due, flow as u32)),
                            ..hop
                        },
                    );
                }
                fate @ Fate::Drop(_) => {
                    let index = side.flows[flow].index;
                    self.record(to, 1, &hop.parsed, index, cause(fate), (due, 0, due));
                    self.frames.release(hop.frame);
                }
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
        let side = &mut self.hosts[sent.to].down;
        let index = side.flows[sent.flow as usize].index;
        let drop = if egress.is_some() {
            side.totals.delivered += 1;
            Drop::None
        } else {
            side.flows[sent.flow as usize].dropped += 1;
            Drop::Own
        };
        self.record(
            sent.to,
            1,
            &sent.parsed,
            index,
            drop,
            (sent.arrived, egress.unwrap_or(0), sent.due),
        );
        self.frames.release(sent.frame);
    }

    /// Records since the last call, in virtual time (0 for an egress that never was).
    pub fn take_records(&mut self) -> Option<std::vec::Drain<'_, Record>> {
        self.records.as_mut().map(|records| records.drain(..))
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

    fn record(
        &mut self,
        host: usize,
        direction: u8,
        parsed: &Parsed,
        flow: u32,
        drop: Drop,
        at: (u64, u64, u64),
    ) {
        if let Some(records) = &mut self.records {
            records.push(Record {
                ingress: at.0 as i64,
                egress: at.1 as i64,
                flow,
                l3_bytes: parsed.l3_bytes,
                payload: parsed.payload,
                host: host.min(255) as u8,
                direction,
                drop: drop as u8,
                protocol: parsed.key.protocol,
                due: at.2 as i64,
            });
        }
    }
}

/// The draws of one direction of a host's link. Named and not numbered: another host in the lab does not change this one's.
pub fn link_draws(seed: u64, host: &str, direction: &str) -> Draws {
    Draws::new(seed)
        .named(host.as_bytes())
        .named(direction.as_bytes())
}

fn hosts(links: &[HostLink], seed: u64) -> Result<Vec<Host>, BadLink> {
    links
        .iter()
        .map(|host| {
            let side = |spec, name| {
                Direction::new(
                    spec,
                    link_draws(seed, &host.name, name),
                    host.trace_offset_ns,
                )
                .map(Side::new)
            };
            Ok(Host {
                up: side(&host.link.up, "up")?,
                down: side(&host.link.down, "down")?,
            })
        })
        .collect()
}

fn decide(side: &mut Side, t: u64, flow: usize, parsed: &Parsed) -> Fate {
    let fate = side.model.arrive(t, flow, parsed.l3_bytes);
    match fate {
        Fate::Deliver { sent, .. } => {
            side.totals.sojourn_ns += sent - t.min(sent);
            side.totals.transmitted += 1;
        }
        Fate::Drop(why) => side.count_drop(flow, why.into()),
    }
    side.totals.queue_max_bytes = side.totals.queue_max_bytes.max(side.model.queued_bytes());
    fate
}

fn cause(fate: Fate) -> Drop {
    match fate {
        Fate::Deliver { .. } => Drop::None,
        Fate::Drop(cause) => cause.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{HostLink, Switch, mac};
    use wirelab_link_model::{BadLink, parse_link};

    const MS: u64 = 1_000_000;

    fn switch(links: &[&str]) -> Switch {
        let no_files = |name: &str| Err(BadLink::new(format!("no file {name}")));
        let hosts = links.iter().enumerate().map(|(i, text)| HostLink {
            name: format!("host{i}"),
            link: parse_link(text, &no_files).expect("a link"),
            trace_offset_ns: 0,
        });
        Switch::new(hosts.collect(), 1, true).expect("a switch")
    }

    fn frame(to: [u8; 6], length: usize) -> Vec<u8> {
        let mut bytes = to.to_vec();
        bytes.extend(mac(0));
        bytes.extend([0x12, 0x34]);
        bytes.resize(14 + length, 7);
        bytes
    }

    fn all_due(switch: &mut Switch, t: u64) -> Vec<(usize, u64)> {
        let mut found = Vec::new();
        while let Some(due) = switch.due(t) {
            found.push((due.to, due.due));
            switch.sent(&due, Some(t));
        }
        found
    }

    #[test]
    fn a_frame_pays_the_senders_uplink_and_the_receivers_downlink() {
        let mut switch = switch(&["up.rate=8Mbit/s,delay=10ms", "down.rate=4Mbit/s,delay=20ms"]);
        switch.arrive(0, 0, &frame(mac(1), 1000));
        assert_eq!(switch.next(), Some(11 * MS));
        assert_eq!(all_due(&mut switch, 11 * MS), vec![]);
        assert_eq!(all_due(&mut switch, 33 * MS), vec![(1, 33 * MS)]);
    }

    #[test]
    fn a_multicast_pays_the_uplink_once_and_reaches_everybody_else() {
        let mut switch = switch(&["up.rate=8Mbit/s", "ideal", "ideal", "ideal"]);
        switch.arrive(0, 0, &frame([0x01, 0, 0x5e, 1, 2, 3], 1000));
        assert_eq!(all_due(&mut switch, MS), vec![(1, MS), (2, MS), (3, MS)]);
        let hosts = switch.snapshot();
        assert_eq!(
            (
                hosts[0].up.0.packets,
                hosts[0].up.0.l3_bytes,
                hosts[3].down.0.delivered
            ),
            (1, 1000, 1)
        );
    }

    #[test]
    fn frames_of_two_senders_meet_the_receivers_queue_in_the_order_they_reach_it() {
        let mut switch = switch(&["delay=50ms", "delay=1ms", "down.rate=8Mbit/s"]);
        switch.arrive(0, 0, &frame(mac(2), 1000));
        switch.arrive(1, MS, &frame(mac(2), 1000));
        assert_eq!(
            all_due(&mut switch, 100 * MS),
            vec![(2, 3 * MS), (2, 51 * MS)]
        );
    }

    #[test]
    fn a_frame_to_nobody_goes_nowhere() {
        let mut switch = switch(&["ideal", "ideal"]);
        switch.arrive(0, 0, &frame([2, 0x77, 0, 0, 0, 9], 100));
        switch.arrive(0, 0, &frame(mac(0), 100));
        assert_eq!(all_due(&mut switch, MS), vec![]);
        assert_eq!(switch.snapshot()[0].up.0.delivered, 2);
    }

    #[test]
    fn a_restart_repeats_every_decision() {
        let run = |switch: &mut Switch| {
            (0..500u64).for_each(|i| switch.arrive(0, i * MS, &frame(mac(1), 100)));
            all_due(switch, 10_000 * MS)
        };
        let mut switch = switch(&["loss=20%,delay=5ms,jitter=1ms", "ideal"]);
        let first = run(&mut switch);
        switch.restart();
        assert_eq!(switch.next(), None);
        assert_eq!(run(&mut switch), first);
        assert!(first.len() > 350 && first.len() < 450);
    }
}
