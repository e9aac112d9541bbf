//! What one setting or modifier does to a direction.

use std::sync::Arc;

use super::Load;
use super::calls::{arguments, known};
use super::queues::queue;
use super::rates::{outage, rate, read_losses, read_trace, schedule};
use crate::error::BadLink;
use crate::handover::HandoverSpec;
use crate::jitter::{JitterDraw, JitterSpec, MIN_TICK_NS};
use crate::loss::LossSpec;
use crate::spec::{DirectionSpec, ETHERNET_MTU, RateSpec};
use crate::units;

const SCALABLE: [&str; 4] = ["rate", "delay", "rtt", "loss"];
/// How much later a reordered packet arrives unless said otherwise.
const DEFAULT_REORDER_NS: u64 = 10_000_000;
const DEFAULT_TICK_NS: u64 = 100_000_000;

pub(super) fn rescale(side: &mut DirectionSpec, key: &str, value: &str) -> Result<(), BadLink> {
    let factor = units::number(key, value)?;
    match key {
        "rate" => {
            side.rate = match &side.rate {
                RateSpec::Unlimited => RateSpec::Unlimited,
                _ if factor == 0.0 => {
                    return Err(BadLink::new(
                        "rate*0 leaves no capacity; use loss=100% for a dead link",
                    ));
                }
                RateSpec::Constant(bps) => {
                    RateSpec::Constant(((*bps as f64 * factor).round() as u64).max(1))
                }
                RateSpec::Trace { name, trace } => RateSpec::Trace {
                    name: name.clone(),
                    trace: Arc::new(trace.scaled(factor)?),
                },
                RateSpec::Generated(generator) => RateSpec::Generated(generator.scaled(factor)),
            }
        }
        "delay" | "rtt" => side.delay_ns = (side.delay_ns as f64 * factor).round() as u64,
        "loss" => side.loss = side.loss.scaled(factor),
        _ => {
            return Err(BadLink::new(format!(
                "{key} cannot be scaled; these can: {}",
                SCALABLE.join(", ")
            )));
        }
    }
    Ok(())
}

pub(super) fn set(
    side: &mut DirectionSpec,
    key: &str,
    value: &str,
    load: Load,
) -> Result<(), BadLink> {
    match key {
        "rate" => side.rate = rate(value)?,
        "trace" => side.rate = read_trace(value, load)?,
        "delay" => side.delay_ns = units::duration_ns(key, value)?.round() as u64,
        "rtt" => side.delay_ns = (units::duration_ns(key, value)? / 2.0).round() as u64,
        "jitter" => spread(side, units::duration_ns(key, value)?),
        // Two independent directions of sd s add up to sqrt(2) s.
        "rtt-sd" => spread(
            side,
            units::duration_ns(key, value)? * std::f64::consts::FRAC_1_SQRT_2,
        ),
        "jitter-tick" => jitter_tick(jitter(side, key)?, value)?,
        "jitter-correlation" => jitter_correlation(jitter(side, key)?, value)?,
        "jitter-order" => jitter(side, key)?.in_order = in_order(value)?,
        "loss" => side.loss = loss(value)?,
        "loss-trace" => side.loss = read_losses(value, load)?,
        "queue" => (side.queue, side.discipline) = queue(value)?,
        "mtu" => side.mtu = mtu(value)?,
        "outage" => side.rate = outage(&side.rate, value)?,
        "handover" => {
            let (period_ns, at_ns, length_ns) = schedule(key, value)?;
            side.handover = Some(HandoverSpec {
                period_ns,
                at_ns,
                length_ns,
            });
        }
        "duplicate" => side.marks.duplicate = units::fraction(key, value)?,
        "corrupt" => side.marks.corrupt = units::fraction(key, value)?,
        "reorder" => {
            side.marks.reorder = units::fraction(key, value)?;
            side.marks.reorder_ns = DEFAULT_REORDER_NS;
        }
        _ if side.marks.reorder == 0.0 => {
            return Err(BadLink::new(format!(
                "{key} without reorder has no meaning; give reorder before it"
            )));
        }
        _ => side.marks.reorder_ns = units::duration_ns(key, value)?.round() as u64,
    }
    Ok(())
}

pub(super) fn spread(side: &mut DirectionSpec, sd_ns: f64) {
    let old = side.jitter.unwrap_or(JitterSpec {
        sd_ns,
        draw: JitterDraw::Tick {
            tick_ns: DEFAULT_TICK_NS,
            correlation: 0.0,
        },
        in_order: true,
    });
    side.jitter = (sd_ns > 0.0).then_some(JitterSpec { sd_ns, ..old });
}

pub(super) fn jitter<'a>(
    side: &'a mut DirectionSpec,
    key: &str,
) -> Result<&'a mut JitterSpec, BadLink> {
    side.jitter.as_mut().ok_or_else(|| {
        BadLink::new(format!(
            "{key} without jitter has no meaning; give jitter before it"
        ))
    })
}

fn jitter_tick(jitter: &mut JitterSpec, value: &str) -> Result<(), BadLink> {
    if value == "packet" {
        jitter.draw = JitterDraw::Packet;
        return Ok(());
    }
    let tick_ns = units::duration_ns("jitter-tick", value)?.round() as u64;
    if tick_ns < MIN_TICK_NS {
        return Err(BadLink::new(format!(
            "jitter-tick '{value}' is below 10ms; give 10ms or more, or packet"
        )));
    }
    let correlation = match jitter.draw {
        JitterDraw::Tick { correlation, .. } => correlation,
        JitterDraw::Packet => 0.0,
    };
    jitter.draw = JitterDraw::Tick {
        tick_ns,
        correlation,
    };
    Ok(())
}

fn jitter_correlation(jitter: &mut JitterSpec, value: &str) -> Result<(), BadLink> {
    let given = units::fraction("jitter-correlation", value)?;
    if given > 0.999 {
        return Err(BadLink::new(format!(
            "jitter-correlation '{value}' is above 0.999; that never changes"
        )));
    }
    match &mut jitter.draw {
        JitterDraw::Tick { correlation, .. } => *correlation = given,
        JitterDraw::Packet => {
            return Err(BadLink::new(
                "jitter-correlation is of neighbouring ticks; leave it out with jitter-tick=packet",
            ));
        }
    }
    Ok(())
}

fn in_order(value: &str) -> Result<bool, BadLink> {
    match value {
        "keep" => Ok(true),
        "free" => Ok(false),
        _ => Err(BadLink::new(format!(
            "jitter-order '{value}' is neither keep nor free"
        ))),
    }
}

fn loss(value: &str) -> Result<LossSpec, BadLink> {
    let Some(pairs) = arguments(value, "ge")? else {
        let p = units::fraction("loss", value)?;
        return Ok(if p > 0.0 {
            LossSpec::Iid(p)
        } else {
            LossSpec::None
        });
    };
    known(&pairs, &["p", "r", "bad", "good"], "ge")?;
    let find = |name: &str, default: Option<f64>| match pairs.iter().find(|(key, _)| *key == name) {
        Some((_, value)) => units::fraction(name, value),
        None => {
            default.ok_or_else(|| BadLink::new(format!("ge needs {name}, like ge(p=1%,r=25%)")))
        }
    };
    Ok(LossSpec::GilbertElliott {
        to_bad: find("p", None)?,
        to_good: find("r", None)?,
        loss_bad: find("bad", Some(1.0))?,
        loss_good: find("good", Some(0.0))?,
    })
}

fn mtu(value: &str) -> Result<u32, BadLink> {
    match value.trim_end_matches('B').parse() {
        // RFC 791: every module must forward a datagram of 68 octets.
        Ok(bytes) if (68..=ETHERNET_MTU).contains(&bytes) => Ok(bytes),
        _ => Err(BadLink::new(format!(
            "mtu '{value}' is not a whole number of bytes from 68 to 1500"
        ))),
    }
}
