//! `show`: explain a link text.

use serde_json::json;
use wirelab_link_model::trace::OutageSpec;
use wirelab_link_model::units::{show_fraction, show_ns, show_rate};
use wirelab_link_model::{DirectionSpec, Discipline, QueueLimit, RateSpec};

use super::link_json::direction_json;
use crate::engine::link_rng;
use crate::failure::Failure;
use crate::inputs;

/// Print the meaning of a link text, with the capacity generated from `seed`.
pub fn run(text: &str, seed: u64, as_json: bool) -> Result<u8, Failure> {
    let link = inputs::parse_link(text)?;
    if as_json {
        let directions = json!({"text": link.text, "source": link.source, "up": direction_json(&link.up), "down": direction_json(&link.down)});
        println!("{directions}");
        return Ok(0);
    }
    println!("{}\nsource: {}", link.text, link.source);
    for (name, direction) in [("up", &link.up), ("down", &link.down)] {
        println!("{name}:");
        for (what, is) in describe_direction(direction) {
            println!("  {what:<10} {is}");
        }
        let rng = link_rng(seed, "device", name).named(b"rate");
        let seconds = match &direction.rate {
            RateSpec::Trace { trace, .. } => trace.per_second(),
            RateSpec::Generated(generator) => generator.trace(rng)?.per_second(),
            _ => continue,
        };
        println!("  {}", sparkline(&seconds));
    }
    Ok(0)
}

fn describe_direction(direction: &DirectionSpec) -> Vec<(String, String)> {
    let rate = match &direction.rate {
        RateSpec::Unlimited => "unlimited".into(),
        RateSpec::Constant(bps) => show_rate(*bps as f64),
        RateSpec::Trace { name, trace } => {
            format!(
                "{name}, mean {}, repeats after {}",
                show_rate(trace.mean_bps()),
                show_ns(trace.period_ns() as f64)
            )
        }
        RateSpec::Generated(g) => format!(
            "generated: median {}, mean {}, {} of the time in outage; {g}{}",
            show_rate(g.median_bps),
            show_rate(g.mean_bps()),
            show_fraction(g.outage_share()),
            g.scheduled.map(describe_outages).unwrap_or_default()
        ),
    };
    let mut lines = vec![("rate".to_string(), rate)];
    if direction.rate != RateSpec::Unlimited {
        lines.push((
            "queue".into(),
            format!(
                "{}, {}",
                describe_queue_limit(direction.queue),
                describe_discipline(direction.discipline)
            ),
        ));
    }
    lines.push(("delay".into(), show_ns(direction.delay_ns as f64)));
    let impairments = direction.impairments.each();
    lines.extend(impairments.map(|(name, one)| (name.replace('_', "-"), one.describe())));
    lines.push(("mtu".into(), format!("{} B", direction.mtu)));
    lines
}

fn describe_outages(outage: OutageSpec) -> String {
    let [every, length, at] =
        [outage.period_ns, outage.length_ns, outage.at_ns].map(|ns| show_ns(ns as f64));
    format!(", outages every {every} for {length}, first at {at}")
}

fn describe_queue_limit(limit: QueueLimit) -> String {
    match limit {
        QueueLimit::Unlimited => "unlimited".into(),
        QueueLimit::Packets(n) => format!("{n} packets"),
        QueueLimit::Bytes(n) => format!("{n} B"),
        QueueLimit::Delay(ns) => show_ns(ns as f64),
    }
}

/// Describe a queue discipline.
pub fn describe_discipline(discipline: Discipline) -> String {
    match discipline {
        Discipline::DropTail => "droptail".into(),
        Discipline::DropHead => "drophead".into(),
        Discipline::Codel {
            target_ns,
            interval_ns,
        } => {
            format!(
                "CoDel, target {}, interval {}",
                show_ns(target_ns as f64),
                show_ns(interval_ns as f64)
            )
        }
        Discipline::Red {
            min_bytes,
            max_bytes,
            max_p,
        } => {
            format!(
                "RED from {min_bytes} B to {max_bytes} B, up to {}",
                show_fraction(max_p)
            )
        }
    }
}

/// A sparkline of capacity over time, at most 72 columns wide. A dot is a column without capacity.
pub fn sparkline(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let width = values.len().div_ceil(72);
    let columns: Vec<f64> = values
        .chunks(width)
        .map(|c| c.iter().sum::<f64>() / c.len() as f64)
        .collect();
    let top = columns.iter().copied().fold(1.0, f64::max);
    let bar = |v: &f64| {
        if *v == 0.0 {
            '.'
        } else {
            BARS[((v / top * 8.0) as usize).min(7)]
        }
    };
    format!(
        "{}  one column {width} s, top {}",
        columns.iter().map(bar).collect::<String>(),
        show_rate(top)
    )
}
