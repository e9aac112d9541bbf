//! Properties that hold for every link and all traffic.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use wirelab_link_model::{
    BadLink, CounterRng, Direction, DirectionSpec, Discipline, DropCause, Fate, FlowKey,
    ImpairmentSpec, QueueLimit, RateSpec, ServiceCurve, Trace,
    impairment::{handover, jitter, loss, reorder},
    parse_link,
    trace::{self, OutageSpec},
};

const SECOND: u64 = 1_000_000_000;

fn pieces() -> impl Strategy<Value = Trace> {
    let piece = (
        1u64..2 * SECOND,
        prop_oneof![Just(0u64), 1_000u64..50_000_000],
    );
    vec(piece, 1..12).prop_filter_map("carries nothing", |pieces| Trace::from_pieces(pieces).ok())
}

fn rate() -> impl Strategy<Value = RateSpec> {
    prop_oneof![
        Just(RateSpec::Unlimited),
        (1_000u64..1_000_000_000).prop_map(RateSpec::Constant),
        pieces().prop_map(|trace| RateSpec::Trace {
            name: "t".into(),
            trace: trace.into()
        }),
    ]
}

fn loss() -> impl Strategy<Value = Option<loss::Spec>> {
    prop_oneof![
        Just(None),
        (0.0..1.0).prop_map(|p| Some(loss::Spec::Iid(p))),
        (0.0..1.0, 0.01..1.0, 0.0..=1.0, 0.0..0.5).prop_map(
            |(to_bad, to_good, loss_bad, loss_good)| {
                Some(loss::Spec::GilbertElliott {
                    to_bad,
                    to_good,
                    loss_bad,
                    loss_good,
                })
            }
        ),
    ]
}

fn queue() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![
        Just(QueueLimit::Unlimited),
        (1u64..50).prop_map(QueueLimit::Packets),
        (1_500u64..100_000).prop_map(QueueLimit::Bytes),
        (0..SECOND).prop_map(QueueLimit::Delay),
    ]
}

fn jitter() -> impl Strategy<Value = Option<jitter::Spec>> {
    let draw = prop_oneof![
        Just(jitter::Draw::Packet),
        (10_000_000u64..SECOND, 0.0..0.99).prop_map(|(tick_ns, correlation)| jitter::Draw::Tick {
            tick_ns,
            correlation,
        }),
    ];
    proptest::option::of((0.0..20e6, draw).prop_map(|(sd_ns, draw)| jitter::Spec {
        sd_ns,
        draw,
        in_order: true,
    }))
}

fn handover() -> impl Strategy<Value = Option<handover::Spec>> {
    proptest::option::of((2u64..SECOND, 1u64..SECOND, 0u64..SECOND).prop_map(
        |(period_ns, length, at)| {
            let length_ns = 1 + length % (period_ns - 1);
            handover::Spec {
                period_ns,
                length_ns,
                at_ns: at % (period_ns - length_ns),
            }
        },
    ))
}

fn discipline() -> impl Strategy<Value = Discipline> {
    prop_oneof![
        Just(Discipline::DropTail),
        Just(Discipline::DropHead),
        (1u64..50_000_000).prop_map(|target_ns| Discipline::Codel {
            target_ns,
            interval_ns: 10 * target_ns
        }),
        (0u64..20_000, 1u64..50_000, 0.0..=1.0).prop_map(|(min_bytes, more, max_p)| {
            Discipline::Red {
                min_bytes,
                max_bytes: min_bytes + more,
                max_p,
            }
        }),
    ]
}

prop_compose! {
    fn spec()(rate in rate(), delay_ns in 0..SECOND, jitter in jitter(), loss in loss(), handover in handover(), queue in queue(), discipline in discipline(), mtu in 68u32..=1500)
        -> DirectionSpec {
        let impairments = ImpairmentSpec { loss, jitter, handover, ..ImpairmentSpec::NONE };
        DirectionSpec { rate, delay_ns, queue, discipline, impairments, mtu }
    }
}

/// (gap to the previous packet, flow, bytes)
fn traffic() -> impl Strategy<Value = Vec<(u64, u16, u32)>> {
    vec((0u64..50_000_000, 0u16..3, 20u32..=1500), 1..200)
}

fn key(flow: u16) -> FlowKey {
    FlowKey {
        source: [10, 77, 0, 1],
        destination: [10, 77, 0, 2],
        protocol: 17,
        source_port: 40_000,
        destination_port: 5_000 + flow,
    }
}

/// The arrival time and fate of each packet, including fates decided later.
fn run(spec: &DirectionSpec, seed: u64, packets: &[(u64, u16, u32)]) -> Vec<(u64, Fate)> {
    let mut direction = Direction::new(spec, CounterRng::new(seed), 0).expect("a direction");
    let mut fates: Vec<(u64, Fate)> = Vec::new();
    let mut t = 0;
    for (ticket, &(gap, flow, bytes)) in packets.iter().enumerate() {
        t += gap;
        settle(&mut direction, t, &mut fates);
        let id = direction.flow(&key(flow));
        fates.push((t, direction.arrive(t, id, bytes, ticket as u64)));
    }
    settle(&mut direction, u64::MAX, &mut fates);
    fates
}

fn settle(direction: &mut Direction, t: u64, fates: &mut [(u64, Fate)]) {
    while let Some((ticket, _, fate)) = direction.decided(t) {
        let waiting = &mut fates[ticket as usize].1;
        assert_eq!(*waiting, Fate::Undecided, "decided twice");
        *waiting = fate;
    }
}

fn delivered(fates: &[(u64, Fate)]) -> Vec<(u64, u64)> {
    fates
        .iter()
        .filter_map(|(_, fate)| {
            if let Fate::Deliver { sent, due, .. } = fate {
                Some((*sent, *due))
            } else {
                None
            }
        })
        .collect()
}

proptest! {
    #[test]
    fn packets_are_never_early_and_never_overtake(spec in spec(), packets in traffic(), seed: u64) {
        let fates = run(&spec, seed, &packets);
        for (t, fate) in &fates {
            if let Fate::Deliver { sent, due, .. } = fate {
                prop_assert!(t <= sent && sent <= due);
            }
        }
        prop_assert!(delivered(&fates).windows(2).all(|w| w[0].0 <= w[1].0 && w[0].1 <= w[1].1));
    }

    #[test]
    fn the_same_packets_and_seed_give_the_same_fates(spec in spec(), packets in traffic(), seed: u64) {
        prop_assert_eq!(run(&spec, seed, &packets), run(&spec, seed, &packets));
    }

    #[test]
    fn a_drop_has_a_cause_that_the_link_has(spec in spec(), packets in traffic(), seed: u64) {
        for ((_, fate), (_, _, bytes)) in run(&spec, seed, &packets).iter().zip(&packets) {
            match fate {
                Fate::Drop(DropCause::Mtu) => prop_assert!(*bytes > spec.mtu),
                Fate::Drop(DropCause::Loss) => prop_assert!(spec.impairments.loss.is_some()),
                Fate::Drop(DropCause::Queue) => prop_assert!(spec.rate != RateSpec::Unlimited
                    && (spec.queue != QueueLimit::Unlimited || spec.discipline != Discipline::DropTail)),
                Fate::Deliver { .. } => prop_assert!(*bytes <= spec.mtu),
                Fate::Undecided => prop_assert!(false, "never decided"),
            }
        }
    }

    #[test]
    fn no_window_carries_more_than_the_rate(rate in rate(), packets in traffic(), queue in queue(), discipline in discipline()) {
        let spec = DirectionSpec { rate, queue, discipline, ..DirectionSpec::IDEAL };
        let schedule = match &spec.rate {
            RateSpec::Constant(bps) => ServiceCurve::Constant(*bps),
            RateSpec::Trace { trace, .. } => ServiceCurve::Trace { trace: trace.clone(), offset_ns: 0 },
            _ => return Ok(()),
        };
        let fates = run(&spec, 1, &packets);
        let sent: Vec<(u64, u32)> = fates.iter().zip(&packets)
            .filter_map(|((_, fate), (_, _, bytes))| if let Fate::Deliver { sent, .. } = fate { Some((*sent, *bytes)) } else { None })
            .collect();
        // The bits of packets that end in a window, except the first, fit the window's capacity,
        // with 1 ns for rounding up.
        for from in 0..sent.len() {
            let mut bits = 0u128;
            for to in from + 1..sent.len() {
                bits += u128::from(sent[to].1) * 8;
                let capacity = schedule.work_at(sent[to].0) - schedule.work_at(sent[from].0.saturating_sub(1));
                prop_assert!(bits * u128::from(SECOND) <= capacity, "packets {from} to {to}");
            }
        }
    }

    #[test]
    fn a_busy_link_is_never_idle(bps in 1_000u64..1_000_000_000, sizes in vec(20u32..=1500, 1..100)) {
        let spec = DirectionSpec { rate: RateSpec::Constant(bps), queue: QueueLimit::Unlimited, ..DirectionSpec::IDEAL };
        let packets: Vec<(u64, u16, u32)> = sizes.iter().map(|&bytes| (0, 0, bytes)).collect();
        let bits: u128 = sizes.iter().map(|&bytes| u128::from(bytes) * 8).sum();
        let last = delivered(&run(&spec, 1, &packets)).last().map(|&(sent, _)| u128::from(sent));
        prop_assert_eq!(last, Some((bits * u128::from(SECOND)).div_ceil(u128::from(bps))));
    }

    #[test]
    fn chatter_of_other_flows_does_not_change_which_packets_of_a_flow_are_lost(loss in loss(), packets in traffic(), seed: u64) {
        let impairments = ImpairmentSpec { loss, ..ImpairmentSpec::NONE };
        let spec = DirectionSpec { impairments, ..DirectionSpec::IDEAL };
        let lost = |packets: &[(u64, u16, u32)]| -> Vec<bool> {
            run(&spec, seed, packets).iter().zip(packets).filter(|(_, p)| p.1 == 0)
                .map(|((_, fate), _)| matches!(fate, Fate::Drop(_))).collect()
        };
        let alone: Vec<(u64, u16, u32)> = packets.iter().copied().filter(|p| p.1 == 0).collect();
        prop_assert_eq!(lost(&packets), lost(&alone));
    }

    #[test]
    fn a_reordered_packet_is_late_by_what_was_asked_and_holds_up_nothing(share in 0.0..=1.0, packets in traffic(), reorder_ns in 1u64..SECOND) {
        let plain = DirectionSpec { delay_ns: 1000, ..DirectionSpec::IDEAL };
        let impairments = ImpairmentSpec { reorder: Some(reorder::Spec { share, delay_ns: reorder_ns }), ..ImpairmentSpec::NONE };
        let marked = DirectionSpec { impairments, ..plain.clone() };
        for ((_, with), (_, without)) in run(&marked, 1, &packets).iter().zip(run(&plain, 1, &packets)) {
            let (Fate::Deliver { due, impairments, .. }, Fate::Deliver { due: turn, .. }) = (with, without) else {
                return Err(TestCaseError::fail("dropped"));
            };
            prop_assert_eq!(*due, turn + if impairments.reordered { reorder_ns } else { 0 });
        }
    }

    #[test]
    fn a_queue_in_packets_never_holds_more(max in 1u64..20, packets in traffic(), bps in 10_000u64..10_000_000) {
        let spec = DirectionSpec { rate: RateSpec::Constant(bps), queue: QueueLimit::Packets(max), ..DirectionSpec::IDEAL };
        let fates = run(&spec, 1, &packets);
        let sent = delivered(&fates);
        for (t, fate) in &fates {
            if matches!(fate, Fate::Deliver { .. }) {
                let arrived = fates.iter().filter(|(at, f)| at <= t && matches!(f, Fate::Deliver { .. })).count();
                let left = sent.iter().filter(|(sent, _)| sent <= t).count();
                // Later packets of the same instant are counted too; they also had to fit.
                prop_assert!((arrived - left) as u64 <= max);
            }
        }
    }

    #[test]
    fn a_queue_in_bytes_never_holds_more_whatever_its_discipline(max in 1_500u64..20_000, discipline in discipline(), packets in traffic(), bps in 10_000u64..10_000_000) {
        let spec = DirectionSpec { rate: RateSpec::Constant(bps), queue: QueueLimit::Bytes(max), discipline, ..DirectionSpec::IDEAL };
        let mut direction = Direction::new(&spec, CounterRng::new(1), 0).expect("a direction");
        let mut t = 0;
        for (ticket, &(gap, flow, bytes)) in packets.iter().enumerate() {
            t += gap;
            while direction.decided(t).is_some() {}
            let id = direction.flow(&key(flow));
            direction.arrive(t, id, bytes, ticket as u64);
            prop_assert!(direction.queued_bytes() <= max);
        }
    }

    #[test]
    fn no_packet_waits_longer_than_a_limit_in_time_whatever_the_discipline(max in 0..SECOND / 10, discipline in discipline(), rate in rate(), packets in traffic()) {
        let spec = DirectionSpec { rate, queue: QueueLimit::Delay(max), discipline, ..DirectionSpec::IDEAL };
        let mut free = 0;
        for (t, fate) in run(&spec, 1, &packets) {
            if let Fate::Deliver { sent, .. } = fate {
                prop_assert!(free <= t + max, "waited {} ns", free - t);
                free = sent;
            }
        }
    }

    #[test]
    fn without_a_limit_drophead_sends_what_droptail_sends_to_the_ns(rate in rate(), packets in traffic()) {
        let sent = |discipline| {
            let spec = DirectionSpec { rate: rate.clone(), queue: QueueLimit::Unlimited, discipline, ..DirectionSpec::IDEAL };
            delivered(&run(&spec, 1, &packets))
        };
        prop_assert_eq!(sent(Discipline::DropHead), sent(Discipline::DropTail));
    }

    #[test]
    fn nothing_arrives_while_a_handover_lasts_and_all_that_would_arrives_at_its_end(handover in handover(), packets in traffic(), delay_ns in 0..SECOND) {
        let plain = DirectionSpec { delay_ns, ..DirectionSpec::IDEAL };
        let held = DirectionSpec { impairments: ImpairmentSpec { handover, ..ImpairmentSpec::NONE }, ..plain.clone() };
        for ((_, with), (_, without)) in run(&held, 1, &packets).iter().zip(run(&plain, 1, &packets)) {
            let (Fate::Deliver { due, .. }, Fate::Deliver { due: turn, .. }) = (with, without) else {
                return Err(TestCaseError::fail("dropped"));
            };
            let Some(handover) = handover else {
                prop_assert_eq!(*due, turn);
                continue;
            };
            let since = |t: u64| (t + handover.period_ns - handover.at_ns) % handover.period_ns;
            prop_assert!(since(*due) >= handover.length_ns);
            prop_assert!(*due == turn || (since(turn) < handover.length_ns && since(*due) == handover.length_ns && due - turn <= handover.length_ns));
        }
    }

    #[test]
    fn a_direction_entered_later_goes_on_where_it_would_be(jitter in jitter(), handover in handover(), packets in traffic(), offset in 1u64..100 * SECOND) {
        let mut jitter = jitter;
        if let Some(jitter::Spec { draw: jitter::Draw::Tick { correlation, .. }, .. }) = &mut jitter {
            // Correlated ticks agree up to rounding of the last bit, which may shift a time by 1
            // ns.
            *correlation = 0.0;
        }
        let impairments = ImpairmentSpec { jitter, handover, ..ImpairmentSpec::NONE };
        let spec = DirectionSpec { impairments, delay_ns: SECOND, ..DirectionSpec::IDEAL };
        let later: Vec<_> = std::iter::once((packets[0].0 + offset, packets[0].1, packets[0].2)).chain(packets[1..].iter().copied()).collect();
        let mut direction = Direction::new(&spec, CounterRng::new(3), offset).expect("a direction");
        let mut t = 0;
        for ((_, whole), &(gap, flow, bytes)) in run(&spec, 3, &later).iter().zip(&packets) {
            t += gap;
            let id = direction.flow(&key(flow));
            let (Fate::Deliver { due, .. }, Fate::Deliver { due: entered, .. }) = (whole, direction.arrive(t, id, bytes, 0)) else {
                return Err(TestCaseError::fail("dropped"));
            };
            prop_assert_eq!(*due, entered + offset);
        }
    }

    #[test]
    fn the_time_at_which_work_is_done_is_the_earliest(trace in pieces(), t in 0..100 * SECOND, offset_ns in 0..100 * SECOND) {
        let schedule = ServiceCurve::Trace { trace: trace.into(), offset_ns };
        let work = schedule.work_at(t);
        let back = schedule.time_at(work);
        prop_assert!(back <= t);
        prop_assert!(back == 0 || schedule.work_at(back) >= work);
        prop_assert!(back == 0 || schedule.work_at(back - 1) < work);
    }

    #[test]
    fn nothing_leaves_in_an_outage_and_between_outages_the_trace_carries_what_it_did(whole in pieces(), schedule in handover(), packets in traffic(), from in 0..20 * SECOND, length in 0..20 * SECOND) {
        let Some(handover::Spec { period_ns, at_ns, length_ns }) = schedule else { return Ok(()) };
        let Ok(cut) = whole.interrupted(OutageSpec { period_ns, at_ns, length_ns }) else { return Ok(()) };
        // Within one pass, because what follows repeats both.
        let (from, to) = (from.min(cut.period_ns()), (from + length).min(cut.period_ns()));
        let out = |t: u64| (t + period_ns - at_ns) % period_ns < length_ns;
        let schedule = |trace: &Trace| ServiceCurve::Trace { trace: Arc::new(trace.clone()), offset_ns: 0 };
        let (whole, with) = (schedule(&whole), schedule(&cut));
        let (mut t, mut kept) = (from, 0);
        while t < to {
            let since = (t + period_ns - at_ns) % period_ns;
            let end = (t + if out(t) { length_ns } else { period_ns } - since).min(to);
            kept += if out(t) { 0 } else { whole.work_at(end) - whole.work_at(t) };
            t = end;
            // A few outages suffice.
            if end > from + 50 * period_ns { break; }
        }
        prop_assert_eq!(with.work_at(t) - with.work_at(from), kept);
        let rate = RateSpec::Trace { name: "t".into(), trace: cut.clone().into() };
        let spec = DirectionSpec { rate, queue: QueueLimit::Unlimited, ..DirectionSpec::IDEAL };
        for (sent, _) in delivered(&run(&spec, 1, &packets)) {
            // A packet is sent when its last bit is, so the ns before has capacity.
            prop_assert!(!out((sent - 1) % cut.period_ns()), "sent at {}", sent);
        }
    }

    #[test]
    fn any_bytes_as_a_trace_are_a_trace_or_a_sentence(bytes in vec(any::<u8>(), 0..400)) {
        let _ = trace::parse(&bytes);
    }

    #[test]
    fn any_text_of_numbers_as_a_trace_is_a_trace_or_a_sentence(text in "([0-9.eE+\\-, \t;a-z]{0,20}\n){0,12}") {
        if let Ok(trace::Recording { trace, .. }) = trace::parse(text.as_bytes()) {
            prop_assert!(trace.mean_bps() > 0.0 && trace.period_ns() > 0);
        }
    }

    #[test]
    fn any_text_as_a_link_is_a_link_or_a_sentence(text in "(ideal|wifi|rate|loss|delay|rtt|jitter|queue|up\\.|down\\.|=|\\*|,|\\(|\\)|ge|gen|[0-9]{1,6}|ms|Mbit/s|%|p|.){0,12}") {
        let none = |name: &str| Err(BadLink::new(format!("no file {name}")));
        if let Ok(link) = parse_link(&text, &none) {
            for side in [&link.up, &link.down] {
                let _ = run(side, 1, &[(0, 0, 100), (SECOND, 0, 1500)]);
            }
        }
    }
}
