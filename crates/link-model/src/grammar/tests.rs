//! The meaning of link texts, and which ones are rejected.

use super::parse_link;
use crate::impairment::{Impairment, handover, jitter, loss};
use crate::{BadLink, CounterRng, LinkSpec, QueueLimit, RateSpec};

fn load(name: &str) -> Result<Vec<u8>, BadLink> {
    match name {
        "dir/x.up" => Ok(b"1\n2\n".to_vec()),
        "dir/x.loss" => Ok(b"0 20%\n1 0\n".to_vec()),
        other => Err(BadLink::new(format!("no file {other}"))),
    }
}

fn link(text: &str) -> LinkSpec {
    parse_link(text, &load).expect(text)
}

fn refused(text: &str) -> String {
    parse_link(text, &load).expect_err(text).to_string()
}

#[test]
fn settings_hold_for_both_directions_and_a_round_trip_is_split_evenly() {
    let link = link("rate=2Mbit/s,rtt=80ms,loss=5%");
    for direction in [&link.up, &link.down] {
        assert_eq!(direction.rate, RateSpec::Constant(2_000_000));
        assert_eq!(direction.delay_ns, 40_000_000);
        assert_eq!(direction.impairments.loss, Some(loss::Spec::Iid(0.05)));
    }
}

#[test]
fn a_direction_can_be_set_alone() {
    let link = link("up.rate=1Mbit/s,down.delay=5ms,up.queue=64kB,down.mtu=576");
    assert_eq!(
        (&link.up.rate, &link.down.rate),
        (&RateSpec::Constant(1_000_000), &RateSpec::Unlimited)
    );
    assert_eq!((link.up.delay_ns, link.down.delay_ns), (0, 5_000_000));
    assert_eq!(
        (link.up.queue, link.down.mtu),
        (QueueLimit::Bytes(64_000), 576)
    );
}

#[test]
fn lte_drive_splits_the_spread_of_the_round_trip_over_both_directions() {
    let link = link("lte-drive");
    for direction in [&link.up, &link.down] {
        assert_eq!(direction.delay_ns, 34_750_000);
        let Some(jitter::Spec {
            sd_ns,
            draw,
            in_order: true,
        }) = direction.impairments.jitter
        else {
            panic!("no jitter")
        };
        let every_second = jitter::Draw::Tick {
            tick_ns: 1_000_000_000,
            correlation: 0.0,
        };
        assert!((sd_ns - 3.96e6).abs() < 1e4 && draw == every_second);
    }
}

#[test]
fn modifiers_change_a_profile() {
    let (plain, changed) = (link("lte-drive"), link("lte-drive,loss=10%,rate*0.5"));
    assert_eq!(changed.up.impairments.loss, Some(loss::Spec::Iid(0.1)));
    let ratio = changed
        .up
        .rate
        .mean_bps()
        .zip(plain.up.rate.mean_bps())
        .map(|(a, b)| a / b);
    assert!(ratio.is_some_and(|r| (r - 0.5).abs() < 1e-9));
}

#[test]
fn bursts_of_loss_have_the_mean_of_their_chain() {
    let link = link("loss=ge(p=1%,r=19%,bad=50%)");
    let loss = link.up.impairments.loss.expect("loss");
    assert!((loss.mean() - 0.025).abs() < 1e-12);
}

#[test]
fn an_outage_is_a_stretch_without_capacity() {
    let RateSpec::Trace { trace, .. } = link("rate=8Mbit/s,outage=every(5s,for=2s,at=1s)").up.rate
    else {
        panic!("no trace")
    };
    assert_eq!(trace.per_second(), vec![8e6, 0.0, 0.0, 8e6, 8e6]);
}

#[test]
fn an_outage_interrupts_a_trace_or_a_generator_too() {
    let RateSpec::Trace { name, trace } = link("dir/x.up,up.outage=every(5ms,for=1ms)").up.rate
    else {
        panic!("no trace")
    };
    // 12 Mbit/s from a file of 2 ms; ten repetitions end together with two periods of 5 ms.
    assert_eq!(name, "dir/x.up, outage every(5ms,for=1ms)");
    assert_eq!((trace.mean_bps(), trace.period_ns()), (9.6e6, 10_000_000));
    let rates = |text: &str| {
        let RateSpec::Generated(generator) = link(text).up.rate else {
            panic!("no generator")
        };
        generator
            .trace(CounterRng::new(7))
            .expect("a trace")
            .per_second()
    };
    let (whole, cut) = (
        rates("lte-drive"),
        rates("lte-drive,up.outage=every(60s,for=2s,at=10s)"),
    );
    assert_eq!(cut.len(), 3600);
    for (second, (whole, cut)) in whole.iter().zip(&cut).enumerate() {
        let out = (10..12).contains(&(second % 60));
        assert_eq!(*cut, if out { 0.0 } else { *whole });
    }
}

#[test]
fn a_handover_stands_on_a_schedule_whatever_the_rate() {
    let link = link("lte-drive,handover=every(15s,for=80ms,at=0s)");
    let asked = handover::Spec {
        period_ns: 15_000_000_000,
        at_ns: 0,
        length_ns: 80_000_000,
    };
    assert_eq!(
        (link.up.impairments.handover, link.down.impairments.handover),
        (Some(asked), Some(asked))
    );
}

#[test]
fn jitter_can_be_drawn_per_packet_with_or_without_order() {
    let jitter = |text: &str| link(text).up.impairments.jitter.expect("jitter");
    assert!(jitter("jitter=1ms").in_order);
    let free = jitter("jitter=1ms,jitter-tick=packet,jitter-order=free");
    assert_eq!((free.draw, free.in_order), (jitter::Draw::Packet, false));
}

#[test]
fn loss_can_follow_a_file() {
    let link = link("rate=1Mbit/s,up.loss-trace=dir/x.loss,loss*0.5");
    let loss = link.up.impairments.loss.expect("loss");
    assert_eq!([0, 1_500_000_000].map(|t| loss.lost_share(t)), [0.1, 0.0]);
    assert_eq!(link.down.impairments.loss, None);
}

#[test]
fn a_trace_file_limits_the_direction_its_name_says() {
    let link = link("dir/x.up,rtt=10ms");
    assert_eq!(link.up.rate.mean_bps(), Some(12e6));
    assert_eq!(link.down.rate, RateSpec::Unlimited);
}

#[test]
fn every_discipline_takes_a_limit_in_packets_bytes_or_time() {
    let limits = [
        ("100p", QueueLimit::Packets(100)),
        ("64kB", QueueLimit::Bytes(64_000)),
        ("20ms", QueueLimit::Delay(20_000_000)),
    ];
    for (written, meant) in limits {
        for queue in [
            written.to_string(),
            format!("drophead(limit={written})"),
            format!("codel(limit={written})"),
            format!("red(min=15kB,max=45kB,limit={written})"),
        ] {
            assert_eq!(link(&format!("rate=1Mbit/s,queue={queue}")).up.queue, meant);
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_in_a_sentence() {
    assert_eq!(
        refused("lte-drve"),
        "unknown link or setting 'lte-drve'; did you mean lte-drive?"
    );
    assert_eq!(
        refused("ideal,los=5%"),
        "unknown link or setting 'los'; did you mean loss?"
    );
    assert_eq!(
        refused("ideal,wifi"),
        "'wifi' is a complete link; it must come first"
    );
    assert!(refused("rtt=10ms,delay=5ms").contains("delay is given twice"));
    assert!(refused("queue=10p").contains("no rate"));
    assert!(refused("jitter-tick=1s").contains("give jitter before it"));
    assert!(refused("jitter=1ms,jitter-tick=1ms").contains("below 10ms"));
    assert!(refused("jitter=1ms,jitter-order=x").contains("is not keep or free"));
    assert!(
        refused("jitter=1ms,jitter-tick=packet,jitter-correlation=0.5").contains("leave it out")
    );
    assert!(refused("loss=1%,loss-trace=dir/x.loss").contains("loss is given twice"));
    assert!(refused("handover=every(1s,for=2s)").contains("does not fit"));
    assert!(refused("up.rtt=5ms").contains("both directions"));
    assert!(refused("rate=1Mbit/s,queue=100B").contains("cannot hold one packet"));
    assert!(refused("loss=ge(p=1%)").contains("ge needs r"));
    assert!(refused("loss=ge(p=1%,r=2%,q=3%)").contains("unknown 'q'"));
    assert!(refused("rate=1Mbit/s,rate*0").contains("no capacity"));
    assert!(refused("rate=1Mbit/s,queue=codel(limit=20)").contains("is not a limit"));
    assert!(
        refused("rate=1Mbit/s,queue=codel(target=5ms,interval=5ms)")
            .contains("interval above target")
    );
    assert!(refused("rate=1Mbit/s,queue=red(min=9kB)").contains("red needs max"));
    assert!(refused("queue=codel()").contains("no rate"));
    assert!(refused("outage=every(2s,for=2s)").contains("does not fit"));
    assert!(refused("lte-drive,up.outage=every(2ms,for=1ms)").contains("a longer period"));
    assert!(refused("outage=every(9s,for=2s),rate=1Mbit/s").contains("give the rate first"));
    assert!(refused("outage=2s").contains("write it like"));
    assert!(refused("reorder-delay=5ms").contains("give reorder before it"));
    assert!(refused("mtu=9000").contains("68 to 1500"));
    assert!(refused("a/b.trace").contains("no file"));
    assert!(refused("ideal,").contains("empty item") && refused("").contains("empty item"));
}
