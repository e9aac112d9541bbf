//! Moments and memory of the jitter process.

use super::{Delivery, Draw, Effect, Impairment, Packet, Spec};
use crate::counter_rng::CounterRng;

const SECOND: u64 = 1_000_000_000;

/// The deviation from the mean delay of packet `number` of a flow at `t`, in ns.
fn deviation(jitter: &mut dyn Effect, t: u64, flow: u64, number: u64) -> f64 {
    let packet = Packet {
        flow: 0,
        rng: CounterRng::new(flow),
        number,
        t,
    };
    let mut delivery = Delivery::default();
    jitter.deliver(&packet, &mut delivery);
    delivery.delay_ns
}

fn ticks(sd_ns: f64, correlation: f64) -> Box<dyn Effect> {
    let draw = Draw::Tick {
        tick_ns: SECOND,
        correlation,
    };
    let spec = Spec {
        sd_ns,
        draw,
        in_order: true,
    };
    spec.effect(CounterRng::new(5))
}

fn series(correlation: f64, n: u64) -> Vec<f64> {
    let mut jitter = ticks(3.96e6, correlation);
    (0..n)
        .map(|s| deviation(&mut *jitter, s * SECOND + 1, 1, s))
        .collect()
}

fn moments(x: &[f64]) -> (f64, f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let variance = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let lag1 = x
        .windows(2)
        .map(|w| (w[0] - mean) * (w[1] - mean))
        .sum::<f64>()
        / n
        / variance;
    (mean, variance.sqrt(), lag1)
}

#[test]
fn independent_ticks_have_the_asked_spread_and_no_memory() {
    let (mean, sd, lag1) = moments(&series(0.0, 100_000));
    assert!(mean.abs() < 0.05e6 && (sd / 3.96e6 - 1.0).abs() < 0.01 && lag1.abs() < 0.02);
}

#[test]
fn correlated_ticks_have_the_asked_spread_and_memory() {
    let (_, sd, lag1) = moments(&series(0.9, 200_000));
    assert!(
        (sd / 3.96e6 - 1.0).abs() < 0.03 && (lag1 - 0.9).abs() < 0.01,
        "{sd} {lag1}"
    );
}

#[test]
fn a_tick_has_the_same_value_however_one_gets_there() {
    for correlation in [0.0, 0.7, 0.99] {
        let mut steps = ticks(1e6, correlation);
        for s in 0..9000 {
            deviation(&mut *steps, s * SECOND, 1, 0);
        }
        let mut jump = ticks(1e6, correlation);
        let found = (
            deviation(&mut *steps, 9000 * SECOND, 1, 0),
            deviation(&mut *jump, 9000 * SECOND, 1, 0),
        );
        assert!((found.0 - found.1).abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn every_packet_of_every_flow_has_its_own_draw_where_that_is_asked() {
    let spec = Spec {
        sd_ns: 2e6,
        draw: Draw::Packet,
        in_order: false,
    };
    let mut jitter = spec.effect(CounterRng::new(5));
    let values: Vec<f64> = (0..100_000)
        .map(|n| deviation(&mut *jitter, 0, 1, n))
        .collect();
    let (mean, sd, lag1) = moments(&values);
    assert!(mean.abs() < 0.03e6 && (sd / 2e6 - 1.0).abs() < 0.01 && lag1.abs() < 0.02);
    assert_ne!(values[7], deviation(&mut *jitter, 0, 2, 7));
}
