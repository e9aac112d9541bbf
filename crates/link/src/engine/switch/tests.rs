//! The switch in virtual time.

use super::{CaptureLevel, CapturedPacket, DirectionCounters, HostLink, Nesting, Switch, mac};
use crate::engine::counters::Totals;
use wirelab_link_model::{BadLink, parse_link};

const MS: u64 = 1_000_000;

fn switch(links: &[&str]) -> Switch {
    on_segment(None, links)
}

fn on_segment(segment: Option<&str>, links: &[&str]) -> Switch {
    let no_files = |name: &str| Err(BadLink::new(format!("no file {name}")));
    let segment = segment.map(|text| parse_link(text, &no_files).expect("a link").up);
    let hosts = links.iter().enumerate().map(|(i, text)| {
        let link = parse_link(text, &no_files).expect("a link");
        HostLink::new(&format!("host{i}"), link)
    });
    Switch::new(hosts.collect(), segment, 1, CaptureLevel::Records).expect("a switch")
}

fn frame(to: [u8; 6], length: usize) -> Vec<u8> {
    let mut bytes = to.to_vec();
    bytes.extend(mac(0));
    bytes.extend([0x12, 0x34]);
    bytes.resize(14 + length, 7);
    bytes
}

fn collect_departures(switch: &mut Switch, t: u64) -> Vec<(usize, u64)> {
    let mut found = Vec::new();
    while let Some(departure) = switch.next_departure(t) {
        found.push((departure.port, departure.due));
        switch.complete(&departure, Some(t));
    }
    found
}

#[test]
fn a_frame_pays_the_senders_uplink_and_the_receivers_downlink() {
    let mut switch = switch(&["up.rate=8Mbit/s,delay=10ms", "down.rate=4Mbit/s,delay=20ms"]);
    switch.arrive(0, 0, &frame(mac(1), 1000));
    assert_eq!(switch.next(), Some(11 * MS));
    assert_eq!(collect_departures(&mut switch, 11 * MS), vec![]);
    assert_eq!(collect_departures(&mut switch, 33 * MS), vec![(1, 33 * MS)]);
}

#[test]
fn a_multicast_pays_the_uplink_once_and_reaches_everybody_else() {
    let mut switch = switch(&["up.rate=8Mbit/s", "ideal", "ideal", "ideal"]);
    switch.arrive(0, 0, &frame([0x01, 0, 0x5e, 1, 2, 3], 1000));
    assert_eq!(
        collect_departures(&mut switch, MS),
        vec![(1, MS), (2, MS), (3, MS)]
    );
    let (hosts, _) = switch.snapshot();
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
        collect_departures(&mut switch, 100 * MS),
        vec![(2, 3 * MS), (2, 51 * MS)]
    );
}

#[test]
fn frames_of_all_hosts_share_one_segment_in_the_order_they_reach_it() {
    let mut switch = on_segment(
        Some("rate=8Mbit/s,delay=2ms"),
        &["up.delay=5ms", "ideal", "down.delay=1ms"],
    );
    switch.arrive(0, 0, &frame(mac(2), 1000));
    switch.arrive(1, 5 * MS, &frame(mac(2), 1000));
    switch.arrive(1, 5 * MS, &frame(mac(0), 1000));
    // Each takes 1 ms on the segment in succession, and neither of the last two departs before both
    // are done.
    assert_eq!(
        collect_departures(&mut switch, 100 * MS),
        vec![(2, 9 * MS), (0, 10 * MS), (2, 10 * MS)]
    );
    let (_, segment) = switch.snapshot();
    let (totals, flows) = segment.expect("a segment");
    assert_eq!((totals.packets, totals.delivered, flows.len()), (3, 3, 1));
}

#[test]
fn a_multicast_crosses_the_segment_once() {
    let mut switch = on_segment(Some("rate=8Mbit/s"), &["ideal", "ideal", "ideal"]);
    switch.arrive(0, 0, &frame([0x01, 0, 0x5e, 1, 2, 3], 1000));
    assert_eq!(
        collect_departures(&mut switch, 9 * MS),
        vec![(1, MS), (2, MS)]
    );
    let (_, segment) = switch.snapshot();
    assert_eq!(segment.expect("a segment").0.packets, 1);
}

#[test]
fn what_a_full_segment_drops_is_counted_and_recorded_there() {
    for queue in ["2p", "drophead(limit=2p)"] {
        let text = format!("rate=8Mbit/s,queue={queue}");
        let mut switch = on_segment(Some(&text), &["ideal", "ideal", "ideal"]);
        (0..5).for_each(|i| switch.arrive(i % 2, 0, &frame(mac(2), 1000)));
        let arrived = collect_departures(&mut switch, 100 * MS).len() as u64;
        let (hosts, segment) = switch.snapshot();
        let totals = segment.expect("a segment").0;
        assert_eq!(
            (totals.packets, totals.dropped.queue),
            (5, 5 - arrived),
            "{queue}"
        );
        assert!(totals.dropped.queue >= 2);
        assert_eq!(hosts[0].up.0.delivered + hosts[1].up.0.delivered, 5);
        let dropped = |r: &&CapturedPacket| (r.0.direction, r.0.drop) == (2, 2) && r.0.host < 2;
        let records: Vec<CapturedPacket> = switch.take_records().collect();
        assert_eq!(
            records.iter().filter(dropped).count() as u64,
            totals.dropped.queue
        );
    }
}

/// Two hosts at the switch, and a third whose link begins behind the first one's.
fn nested_switch(parent: &str, nested_hosts: &str) -> Switch {
    let no_files = |name: &str| Err(BadLink::new(format!("no file {name}")));
    let mut switch = switch(&[parent, "ideal"]);
    let nesting = Nesting { parent: 0, seed: 1 };
    let link = parse_link(nested_hosts, &no_files).expect("a link");
    let host = HostLink {
        nesting: Some(nesting),
        ..HostLink::new("inner", link)
    };
    switch.add_host(host).expect("a host more");
    switch
}

#[test]
fn links_in_a_row_are_passed_one_after_the_other_both_ways() {
    let mut switch = nested_switch("up.rate=8Mbit/s,delay=10ms", "delay=3ms,down.rate=4Mbit/s");
    switch.arrive(2, 0, &frame(mac(1), 1000));
    assert_eq!(collect_departures(&mut switch, 14 * MS), vec![(1, 14 * MS)]);
    switch.arrive(1, 20 * MS, &frame(mac(2), 1000));
    assert_eq!(collect_departures(&mut switch, 50 * MS), vec![(2, 35 * MS)]);
    let (hosts, _) = switch.snapshot();
    let passed = |counters: &DirectionCounters| (counters.0.packets, counters.0.delivered);
    assert!(
        [&hosts[0].up, &hosts[2].up, &hosts[0].down, &hosts[2].down].map(passed) == [(1, 1); 4]
    );
}

#[test]
fn the_outer_link_is_shared_with_what_lies_behind_it() {
    let mut switch = nested_switch("up.rate=8Mbit/s", "ideal");
    switch.arrive(2, 0, &frame(mac(1), 1000));
    switch.arrive(0, 0, &frame(mac(1), 1000));
    assert_eq!(
        collect_departures(&mut switch, 9 * MS),
        vec![(1, MS), (1, 2 * MS)]
    );
}

#[test]
fn a_multicast_pays_the_outer_link_once_for_all_behind_it() {
    let mut switch = nested_switch("down.rate=8Mbit/s", "delay=1ms");
    let group = [0x01, 0, 0x5e, 1, 2, 3];
    switch.arrive(1, 0, &frame(group, 1000));
    assert_eq!(
        collect_departures(&mut switch, 9 * MS),
        vec![(0, MS), (2, 2 * MS)]
    );
    // A multicast from the nested host reaches all others through the switch.
    switch.arrive(2, 10 * MS, &frame(group, 1000));
    assert_eq!(
        collect_departures(&mut switch, 99 * MS),
        vec![(1, 11 * MS), (0, 12 * MS)]
    );
    switch.arrive(0, 110 * MS, &frame(group, 1000));
    assert_eq!(
        collect_departures(&mut switch, 199 * MS),
        vec![(1, 110 * MS), (2, 112 * MS)]
    );
}

#[test]
fn a_frame_to_nobody_goes_nowhere() {
    let mut switch = switch(&["ideal", "ideal"]);
    switch.arrive(0, 0, &frame([2, 0x77, 0, 0, 0, 9], 100));
    switch.arrive(0, 0, &frame(mac(0), 100));
    assert_eq!(collect_departures(&mut switch, MS), vec![]);
    assert_eq!(switch.snapshot().0[0].up.0.delivered, 2);
}

#[test]
fn a_queue_that_is_judged_at_its_head_passes_frames_on_in_their_time() {
    for (from, to) in [
        (
            "up.rate=8Mbit/s,up.queue=drophead(limit=2p),delay=1ms",
            "ideal",
        ),
        (
            "delay=1ms",
            "down.rate=8Mbit/s,down.queue=drophead(limit=2p)",
        ),
    ] {
        let mut switch = switch(&[from, to]);
        (0..5).for_each(|i| switch.arrive(0, i, &frame(mac(1), 1000)));
        let due = collect_departures(&mut switch, 100 * MS);
        assert_eq!(due.len(), 3, "{from}");
        assert!(
            due.iter()
                .zip(2..)
                .all(|(&(to, at), ms)| to == 1 && at.abs_diff(ms * MS) < 10),
            "{due:?}"
        );
        let (hosts, _) = switch.snapshot();
        assert_eq!(
            hosts[0].up.0.dropped.queue + hosts[1].down.0.dropped.queue,
            2
        );
    }
}

#[test]
fn a_duplicate_arrives_twice_and_a_damaged_frame_differs_in_one_bit() {
    for (from, to) in [
        ("up.duplicate=100%,up.corrupt=100%", "ideal"),
        ("ideal", "down.duplicate=100%,down.corrupt=100%"),
    ] {
        let mut switch = switch(&[from, to, "ideal"]);
        let sent = frame([0x01, 0, 0x5e, 1, 2, 3], 100);
        switch.arrive(0, 0, &sent);
        let mut arrived = [0, 0, 0];
        while let Some(departure) = switch.next_departure(MS) {
            arrived[departure.port] += 1;
            let flipped: u32 = sent
                .iter()
                .zip(switch.bytes(&departure))
                .map(|(a, b)| (a ^ b).count_ones())
                .sum();
            assert_eq!(
                flipped,
                u32::from(departure.port == 1 || to == "ideal"),
                "{from} {to}"
            );
            switch.complete(&departure, Some(MS));
        }
        assert_eq!(arrived, if to == "ideal" { [0, 2, 2] } else { [0, 2, 1] });
        let (hosts, _) = switch.snapshot();
        let counted = |totals: &Totals| (totals.duplicated, totals.corrupted, totals.delivered);
        assert_eq!(
            counted(if to == "ideal" {
                &hosts[0].up.0
            } else {
                &hosts[1].down.0
            }),
            (1, 1, 2)
        );
    }
}

#[test]
fn a_restart_repeats_every_decision() {
    let run = |switch: &mut Switch| {
        (0..500u64).for_each(|i| switch.arrive(0, i * MS, &frame(mac(1), 100)));
        collect_departures(switch, 10_000 * MS)
    };
    let mut switch = switch(&["loss=20%,delay=5ms,jitter=1ms", "ideal"]);
    let first = run(&mut switch);
    switch.arrive(0, 1000 * MS, &frame(mac(1), 100));
    switch.restart();
    assert_eq!(switch.next(), None);
    assert_eq!(run(&mut switch), first);
    assert!(first.len() > 350 && first.len() < 450);
}
