//! The simulated channel: the fate of each message is a pure function of the seed, the options and
//! its number.

use wirelab_peer::{Fault, Options, Plan};

/// A channel with latency, jitter, loss, duplicates and reordering.
pub struct Channel {
    seed: u64,
    latency_ns: i64,
    jitter_ns: i64,
    loss: f64,
    duplicate: f64,
    reorder: f64,
    flood_gap_ns: i64,
}

/// One arrival at the subscriber.
#[derive(Debug, PartialEq, Eq)]
pub struct Arrival {
    pub at: i64,
    pub seq: u64,
    /// Whether the protocol marks it as a duplicate.
    pub marked: bool,
}

/// Independent random draws for one message.
#[derive(Clone, Copy)]
enum Draw {
    Loss = 1,
    Duplicate = 2,
    Reorder = 3,
    Jitter = 4,
}

impl Channel {
    /// Reads the options.
    ///
    /// # Errors
    /// A fatal fault if one is not a number in its range.
    pub fn new(options: &Options) -> Result<Self, Fault> {
        let probability = |name: &str| match options.parse::<f64>(name)? {
            p if (0.0..=1.0).contains(&p) => Ok(p),
            p => Err(Fault::fatal(
                format!("option {name}"),
                format!("{p} is not between 0 and 1"),
            )),
        };
        let time = |name: &str| match options.parse::<i64>(name)? {
            ns if ns >= 0 => Ok(ns),
            ns => Err(Fault::fatal(
                format!("option {name}"),
                format!("{ns} is negative"),
            )),
        };
        Ok(Self {
            seed: options.parse("seed")?,
            latency_ns: time("latency_ns")?,
            jitter_ns: time("jitter_ns")?,
            loss: probability("loss")?,
            duplicate: probability("duplicate")?,
            reorder: probability("reorder")?,
            flood_gap_ns: time("flood_gap_ns")?,
        })
    }

    /// All arrivals for a publisher that follows `plan`, in order.
    ///
    /// # Errors
    /// A fault if the schedule is too long.
    pub fn arrivals(&self, plan: &Plan) -> Result<Vec<Arrival>, Fault> {
        let mut arrivals = Vec::new();
        let (mut seq, mut handed_over) = (0, 0);
        while let Some(planned) = plan.planned(seq, handed_over) {
            if seq == 100_000_000 {
                return Err(Fault::fatal(
                    "start",
                    "the schedule has more than 100 million messages",
                ));
            }
            self.arrive(seq, planned, &mut arrivals);
            handed_over = planned + self.flood_gap_ns.max(1);
            seq += 1;
        }
        arrivals.sort_by_key(|arrival| (arrival.at, arrival.seq, arrival.marked));
        Ok(arrivals)
    }

    fn arrive(&self, seq: u64, planned: i64, arrivals: &mut Vec<Arrival>) {
        if self.draw(seq, Draw::Loss) < self.loss {
            return;
        }
        let jitter = (self.draw(seq, Draw::Jitter) * self.jitter_ns as f64) as i64;
        // A reordered message takes ten times the latency.
        let factor = if self.draw(seq, Draw::Reorder) < self.reorder {
            10
        } else {
            1
        };
        let at = planned + self.latency_ns * factor + jitter;
        arrivals.push(Arrival {
            at,
            seq,
            marked: false,
        });
        if self.draw(seq, Draw::Duplicate) < self.duplicate {
            arrivals.push(Arrival {
                at: at + self.latency_ns,
                seq,
                marked: true,
            });
        }
    }

    /// Uniform in [0, 1): splitmix64's finaliser (Steele, Lea, Flood, OOPSLA 2014) over seed,
    /// number and draw.
    fn draw(&self, seq: u64, draw: Draw) -> f64 {
        let mut x =
            self.seed ^ (seq.wrapping_mul(8) | draw as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirelab_peer::contract::{Schedule, Start};

    const PERFECT: Channel = Channel {
        seed: 7,
        latency_ns: 5,
        jitter_ns: 0,
        loss: 0.0,
        duplicate: 0.0,
        reorder: 0.0,
        flood_gap_ns: 3,
    };

    fn plan(count: u64) -> Plan {
        let schedule = Schedule::Interval {
            interval_ns: 10,
            count: Some(count),
            duration_ns: None,
        };
        Plan::new(&Start {
            at_ns: 100,
            schedule: Some(schedule),
        })
        .unwrap()
    }

    fn seqs(channel: &Channel, count: u64) -> Vec<u64> {
        channel
            .arrivals(&plan(count))
            .unwrap()
            .iter()
            .map(|arrival| arrival.seq)
            .collect()
    }

    #[test]
    fn a_perfect_channel_delivers_each_message_after_its_latency() {
        let times: Vec<_> = PERFECT
            .arrivals(&plan(3))
            .unwrap()
            .iter()
            .map(|arrival| arrival.at)
            .collect();
        assert_eq!(times, [105, 115, 125]);
    }

    #[test]
    fn loss_and_duplicates_come_at_their_rates_and_from_the_seed() {
        let lossy = Channel {
            loss: 0.3,
            duplicate: 0.5,
            ..PERFECT
        };
        let arrived = seqs(&lossy, 10_000);
        let mut distinct = arrived.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert!(
            (6_800..7_200).contains(&distinct.len()),
            "{}",
            distinct.len()
        );
        assert!((1.45..1.55).contains(&(arrived.len() as f64 / distinct.len() as f64)));
        assert_eq!(arrived, seqs(&lossy, 10_000));
        assert_ne!(arrived, seqs(&Channel { seed: 8, ..lossy }, 10_000));
    }

    #[test]
    fn a_reordered_message_is_overtaken() {
        let arrived = seqs(
            &Channel {
                reorder: 0.1,
                ..PERFECT
            },
            1000,
        );
        assert!(!arrived.is_sorted());
        assert_eq!(arrived.len(), 1000);
    }
}
