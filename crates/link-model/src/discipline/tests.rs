//! Which packets each discipline drops, and when.

use crate::{
    CounterRng, Direction, DirectionSpec, Discipline, Fate, FlowKey, QueueLimit, RateSpec,
};

const MS: u64 = 1_000_000;

/// Send 1,000 B packets `gap` apart into 8 Mbit/s (1 ms each). Returns number, waiting time and
/// fate in order of decision.
fn run(discipline: Discipline, queue: QueueLimit, gap: u64, count: u64) -> Vec<(u64, u64, Fate)> {
    let spec = DirectionSpec {
        rate: RateSpec::Constant(8_000_000),
        queue,
        discipline,
        ..DirectionSpec::IDEAL
    };
    let mut direction = Direction::new(&spec, CounterRng::new(1), 0).expect("a direction");
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
            Fate::Undecided => {}
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
    // Packet 0 is in transmission and 1 to 3 wait; 4 and 5 each replace the oldest waiting packet.
    let found = run(Discipline::DropHead, QueueLimit::Packets(3), 1, 6);
    assert_eq!(dropped(&found), vec![1, 2]);
}

#[test]
fn a_limit_in_time_means_the_same_to_every_discipline() {
    // 1 ms each, all at once: packet n would wait n ms. Four fit into 3 ms; drophead keeps the last
    // three of those that wait.
    let codel = Discipline::Codel {
        target_ns: 5 * MS,
        interval_ns: 100 * MS,
    };
    let red = Discipline::Red {
        min_bytes: 50_000,
        max_bytes: 60_000,
        max_p: 0.1,
    };
    let limit = QueueLimit::Delay(3 * MS);
    for discipline in [Discipline::DropTail, codel, red] {
        assert_eq!(dropped(&run(discipline, limit, 0, 6)), vec![4, 5]);
    }
    let found = run(Discipline::DropHead, limit, 1, 6);
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
    // The wait passes 5 ms after 50 packets, the first drop comes an interval later, the next after
    // 100, 100/sqrt 2, ... ms.
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
    // Twice the capacity is offered: half of it is dropped in the long run, and the mean queue
    // stays near the upper limit.
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
