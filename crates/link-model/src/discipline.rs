//! Queue disciplines other than droptail: RED decides when a packet arrives, drophead and CoDel when its turn comes.

use std::collections::VecDeque;

use crate::flow::FlowId;
use crate::queue::QueueLimit;

/// How a queue keeps itself short, besides its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Discipline {
    /// A full queue refuses the packet that arrives.
    DropTail,
    /// A full queue drops its oldest packet for the one that arrives.
    DropHead,
    /// Packets that waited too long for too long are dropped when their turn comes (RFC 8289).
    Codel {
        /// Waiting time that is acceptable, ns.
        target_ns: u64,
        /// How long it may be exceeded, ns.
        interval_ns: u64,
    },
    /// Dropped with a probability that grows with the mean queue (Floyd and Jacobson 1993).
    Red {
        /// Below this mean queue nothing is dropped, bytes.
        min_bytes: u64,
        /// From this mean queue on everything is, bytes.
        max_bytes: u64,
        /// Probability just below `max_bytes`.
        max_p: f64,
    },
}

impl Discipline {
    /// Whether a packet's fate is known only when its turn comes.
    pub fn decides_late(&self) -> bool {
        matches!(self, Discipline::DropHead | Discipline::Codel { .. })
    }
}

/// RED's mean queue and count of packets since the last drop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Red {
    mean_bytes: f64,
    since_drop: u64,
    last: u64,
}

impl Red {
    /// Weight of the newest queue length in the mean (Floyd and Jacobson, section 6).
    const WEIGHT: f64 = 0.002;

    /// Whether to drop a packet that arrives at `t` and finds `queued` bytes. `draw` is uniform in [0, 1); `packet_ns` what a
    /// packet takes to send: for as many as could have been sent while the queue was empty, the mean decays.
    pub fn drops(
        &mut self,
        t: u64,
        queued: u64,
        packet_ns: f64,
        draw: f64,
        (min, max, max_p): (u64, u64, f64),
    ) -> bool {
        if queued == 0 {
            let could = (t - self.last) as f64 / packet_ns;
            self.mean_bytes *= (1.0 - Self::WEIGHT).powf(could);
        } else {
            self.mean_bytes += Self::WEIGHT * (queued as f64 - self.mean_bytes);
        }
        self.last = t;
        let (min, max) = (min as f64, max as f64);
        if self.mean_bytes < min {
            self.since_drop = 0;
            return false;
        }
        let base = max_p * (self.mean_bytes - min) / (max - min);
        // Spread drops evenly instead of geometrically: p / (1 - count p).
        let p = base / (1.0 - self.since_drop as f64 * base).max(f64::MIN_POSITIVE);
        let drop = self.mean_bytes >= max || draw < p;
        self.since_drop = if drop { 0 } else { self.since_drop + 1 };
        drop
    }
}

/// A packet whose turn has not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub ticket: u64,
    pub arrived: u64,
    pub flow: FlowId,
    pub number: u64,
    pub bytes: u32,
    pub lost: bool,
}

/// CoDel's state (RFC 8289, section 5).
#[derive(Debug, Clone, Default)]
struct Codel {
    first_above: Option<u64>,
    dropping: bool,
    drop_next: u64,
    count: u32,
    last_count: u32,
}

/// A queue whose head is judged when its turn comes.
#[derive(Debug, Clone, Default)]
pub(crate) struct LateQueue {
    waiting: VecDeque<Waiting>,
    bytes: u64,
    codel: Codel,
}

impl LateQueue {
    /// Bytes waiting.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The packet whose turn is next.
    pub fn head(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    /// Add a packet; gives one that had to make room: the oldest for drophead, else the new one itself.
    pub fn join(
        &mut self,
        packet: Waiting,
        limit: QueueLimit,
        oldest_makes_room: bool,
    ) -> Option<Waiting> {
        let full = match limit {
            QueueLimit::Packets(max) => self.waiting.len() as u64 >= max,
            QueueLimit::Bytes(max) => self.bytes + u64::from(packet.bytes) > max,
            QueueLimit::Unlimited | QueueLimit::Delay(_) => false,
        };
        let dropped = match (full, oldest_makes_room) {
            (true, false) => return Some(packet),
            (true, true) => self.pop(),
            (false, _) => None,
        };
        self.bytes += u64::from(packet.bytes);
        self.waiting.push_back(packet);
        dropped
    }

    /// Take the head off.
    pub fn pop(&mut self) -> Option<Waiting> {
        let head = self.waiting.pop_front()?;
        self.bytes -= u64::from(head.bytes);
        Some(head)
    }

    /// Whether CoDel drops the head, which was just taken off at `now`.
    pub fn codel_drops(
        &mut self,
        head: &Waiting,
        now: u64,
        target_ns: u64,
        interval_ns: u64,
    ) -> bool {
        let ok_to_drop = self.above_target(head, now, target_ns, interval_ns);
        let codel = &mut self.codel;
        if codel.dropping {
            if !ok_to_drop {
                codel.dropping = false;
            } else if now >= codel.drop_next {
                codel.count += 1;
                codel.drop_next = control_law(codel.drop_next, interval_ns, codel.count);
                return true;
            }
            return false;
        }
        if !ok_to_drop {
            return false;
        }
        codel.dropping = true;
        // Soon after the last time: go on with the drop rate that worked.
        let delta = codel.count - codel.last_count;
        let recent = now.saturating_sub(codel.drop_next) < 16 * interval_ns;
        codel.count = if delta > 1 && recent { delta } else { 1 };
        codel.drop_next = control_law(now, interval_ns, codel.count);
        codel.last_count = codel.count;
        true
    }

    /// Whether waiting times have been above the target for an interval. Less than one full packet waiting is no queue.
    fn above_target(&mut self, head: &Waiting, now: u64, target_ns: u64, interval_ns: u64) -> bool {
        const FULL_PACKET: u64 = 1500;
        if now - head.arrived < target_ns || self.bytes <= FULL_PACKET {
            self.codel.first_above = None;
            return false;
        }
        let first_above = *self.codel.first_above.get_or_insert(now + interval_ns);
        now >= first_above
    }
}

/// The next drop, an interval over the square root of the number of drops later.
fn control_law(t: u64, interval_ns: u64, count: u32) -> u64 {
    t + (interval_ns as f64 / f64::from(count).sqrt()) as u64
}

#[cfg(test)]
mod tests {
    use super::Discipline;
    use crate::{Direction, DirectionSpec, Draws, Fate, FlowKey, QueueLimit, RateSpec};

    const MS: u64 = 1_000_000;

    /// Packets of 1,000 B that arrive `gap` apart at a link of 8 Mbit/s (1 ms each): number, waiting time and fate in order of decision.
    fn run(
        discipline: Discipline,
        queue: QueueLimit,
        gap: u64,
        count: u64,
    ) -> Vec<(u64, u64, Fate)> {
        let spec = DirectionSpec {
            rate: RateSpec::Constant(8_000_000),
            queue,
            discipline,
            ..DirectionSpec::IDEAL
        };
        let mut direction = Direction::new(&spec, Draws::new(1), 0).expect("a direction");
        let key = FlowKey {
            source: [1; 4],
            destination: [2; 4],
            protocol: 17,
            source_port: 1,
            destination_port: 2,
        };
        let flow = direction.flow(&key);
        let mut found = Vec::new();
        for ticket in 0..count {
            let t = ticket * gap;
            found.extend(std::iter::from_fn(|| direction.decided(t)));
            match direction.arrive(t, flow, 1000, ticket) {
                Fate::Later => {}
                fate @ Fate::Deliver { sent, .. } => found.push((ticket, sent - MS, fate)),
                fate => found.push((ticket, t, fate)),
            }
        }
        found.extend(std::iter::from_fn(|| direction.decided(u64::MAX)));
        found
            .into_iter()
            .map(|(ticket, at, fate)| (ticket, at - ticket * gap, fate))
            .collect()
    }

    fn dropped(found: &[(u64, u64, Fate)]) -> Vec<u64> {
        found
            .iter()
            .filter(|(_, _, fate)| matches!(fate, Fate::Drop(_)))
            .map(|(ticket, _, _)| *ticket)
            .collect()
    }

    #[test]
    fn a_full_drophead_queue_loses_its_oldest_packets() {
        // Packet 0 is in transmission; 1 to 3 wait; each of 4 and 5 takes the place of the oldest that waits.
        let found = run(Discipline::DropHead, QueueLimit::Packets(3), 1, 6);
        assert_eq!(dropped(&found), vec![1, 2]);
    }

    #[test]
    fn codel_lets_a_burst_pass_that_is_over_within_an_interval() {
        let codel = Discipline::Codel {
            target_ns: 5 * MS,
            interval_ns: 100 * MS,
        };
        assert_eq!(
            dropped(&run(codel, QueueLimit::Packets(1000), 0, 60)),
            Vec::<u64>::new()
        );
    }

    #[test]
    fn codel_drops_from_a_standing_queue_ever_faster() {
        let codel = Discipline::Codel {
            target_ns: 5 * MS,
            interval_ns: 100 * MS,
        };
        let found = run(codel, QueueLimit::Unlimited, MS * 9 / 10, 2000);
        let times: Vec<u64> = found
            .iter()
            .filter(|(_, _, fate)| matches!(fate, Fate::Drop(_)))
            .map(|(ticket, waited, _)| (ticket * MS * 9 / 10 + waited) / MS)
            .collect();
        // The wait passes 5 ms when 50 packets have come; an interval later the first drop; then after 100, 100/sqrt 2, ... ms.
        assert!((145..165).contains(&times[0]), "{times:?}");
        let gaps: Vec<u64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(
            gaps[0].abs_diff(100) <= 1 && gaps[1].abs_diff(71) <= 1 && gaps[2].abs_diff(58) <= 1,
            "{gaps:?}"
        );
    }

    #[test]
    fn red_drops_nothing_from_a_short_queue_and_all_from_a_long_one() {
        let red = Discipline::Red {
            min_bytes: 5_000,
            max_bytes: 15_000,
            max_p: 0.1,
        };
        assert_eq!(
            dropped(&run(red, QueueLimit::Unlimited, 2 * MS, 2000)),
            Vec::<u64>::new()
        );
        let found = run(red, QueueLimit::Unlimited, MS / 2, 10_000);
        // Twice the rate is offered: in the long run half of it is dropped, and the mean queue stays near the upper limit.
        let late: Vec<_> = found
            .iter()
            .filter(|(ticket, _, _)| *ticket > 5_000)
            .copied()
            .collect();
        let share = dropped(&late).len() as f64 / late.len() as f64;
        assert!((share - 0.5).abs() < 0.05, "{share}");
        let longest = late
            .iter()
            .filter(|(_, _, f)| matches!(f, Fate::Deliver { .. }))
            .map(|(_, w, _)| *w)
            .max();
        assert!(longest.is_some_and(|w| w < 40 * MS), "{longest:?}");
    }
}
