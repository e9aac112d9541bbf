//! Settings and modifiers of one direction.

use std::sync::Arc;

use super::FileReader;
use super::function::{check_names, parse_arguments};
use super::queue::parse_queue;
use super::rate::{add_outage, parse_rate, parse_schedule, read_loss_trace, read_trace};
use crate::error::BadLink;
use crate::handover::HandoverSpec;
use crate::jitter::{JitterDraw, JitterSpec, MIN_TICK_NS};
use crate::loss::LossSpec;
use crate::spec::{DirectionSpec, ETHERNET_MTU, RateSpec};
use crate::units;

const SCALABLE: [&str; 4] = ["rate", "delay", "rtt", "loss"];
/// Default extra delay of a reordered packet.
const DEFAULT_REORDER_NS: u64 = 10_000_000;
const DEFAULT_TICK_NS: u64 = 100_000_000;

pub(super) fn scale_setting(
    direction: &mut DirectionSpec,
    key: &str,
    value: &str,
) -> Result<(), BadLink> {
    let factor = units::parse_number(key, value)?;
    match key {
        "rate" => {
            direction.rate = match &direction.rate {
                RateSpec::Unlimited => RateSpec::Unlimited,
                _ if factor == 0.0 => {
                    return Err(BadLink::new(
                        "rate*0 leaves no capacity; use loss=100% to block a link",
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
        "delay" | "rtt" => direction.delay_ns = (direction.delay_ns as f64 * factor).round() as u64,
        "loss" => direction.loss = direction.loss.scaled(factor),
        _ => {
            return Err(BadLink::new(format!(
                "{key} cannot be scaled; these can: {}",
                SCALABLE.join(", ")
            )));
        }
    }
    Ok(())
}

pub(super) fn apply_setting(
    direction: &mut DirectionSpec,
    key: &str,
    value: &str,
    read_file: FileReader,
) -> Result<(), BadLink> {
    match key {
        "rate" => direction.rate = parse_rate(value)?,
        "trace" => direction.rate = read_trace(value, read_file)?,
        "delay" => direction.delay_ns = units::parse_duration_ns(key, value)?.round() as u64,
        "rtt" => direction.delay_ns = (units::parse_duration_ns(key, value)? / 2.0).round() as u64,
        "jitter" => set_jitter_sd(direction, units::parse_duration_ns(key, value)?),
        // Two independent directions with sd s have a joint sd of sqrt(2) s.
        "rtt-sd" => set_jitter_sd(
            direction,
            units::parse_duration_ns(key, value)? * std::f64::consts::FRAC_1_SQRT_2,
        ),
        "jitter-tick" => set_jitter_tick(existing_jitter(direction, key)?, value)?,
        "jitter-correlation" => set_jitter_correlation(existing_jitter(direction, key)?, value)?,
        "jitter-order" => existing_jitter(direction, key)?.in_order = parse_order(value)?,
        "loss" => direction.loss = parse_loss(value)?,
        "loss-trace" => direction.loss = read_loss_trace(value, read_file)?,
        "queue" => (direction.queue, direction.discipline) = parse_queue(value)?,
        "mtu" => direction.mtu = parse_mtu(value)?,
        "outage" => direction.rate = add_outage(&direction.rate, value)?,
        "handover" => {
            let (period_ns, at_ns, length_ns) = parse_schedule(key, value)?;
            direction.handover = Some(HandoverSpec {
                period_ns,
                at_ns,
                length_ns,
            });
        }
        "duplicate" => direction.impairments.duplicate = units::parse_fraction(key, value)?,
        "corrupt" => direction.impairments.corrupt = units::parse_fraction(key, value)?,
        "reorder" => {
            direction.impairments.reorder = units::parse_fraction(key, value)?;
            direction.impairments.reorder_ns = DEFAULT_REORDER_NS;
        }
        _ if direction.impairments.reorder == 0.0 => {
            return Err(BadLink::new(format!(
                "{key} has no effect without reorder; give reorder before it"
            )));
        }
        _ => {
            direction.impairments.reorder_ns = units::parse_duration_ns(key, value)?.round() as u64
        }
    }
    Ok(())
}

pub(super) fn set_jitter_sd(direction: &mut DirectionSpec, sd_ns: f64) {
    let old = direction.jitter.unwrap_or(JitterSpec {
        sd_ns,
        draw: JitterDraw::Tick {
            tick_ns: DEFAULT_TICK_NS,
            correlation: 0.0,
        },
        in_order: true,
    });
    direction.jitter = (sd_ns > 0.0).then_some(JitterSpec { sd_ns, ..old });
}

pub(super) fn existing_jitter<'a>(
    direction: &'a mut DirectionSpec,
    key: &str,
) -> Result<&'a mut JitterSpec, BadLink> {
    direction.jitter.as_mut().ok_or_else(|| {
        BadLink::new(format!(
            "{key} has no effect without jitter; give jitter before it"
        ))
    })
}

fn set_jitter_tick(jitter: &mut JitterSpec, value: &str) -> Result<(), BadLink> {
    if value == "packet" {
        jitter.draw = JitterDraw::Packet;
        return Ok(());
    }
    let tick_ns = units::parse_duration_ns("jitter-tick", value)?.round() as u64;
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

fn set_jitter_correlation(jitter: &mut JitterSpec, value: &str) -> Result<(), BadLink> {
    let given = units::parse_fraction("jitter-correlation", value)?;
    if given > 0.999 {
        return Err(BadLink::new(format!(
            "jitter-correlation '{value}' is above 0.999, so the delay would never change; give 0.999 or less"
        )));
    }
    match &mut jitter.draw {
        JitterDraw::Tick { correlation, .. } => *correlation = given,
        JitterDraw::Packet => {
            return Err(BadLink::new(
                "jitter-correlation applies to ticks; leave it out with jitter-tick=packet",
            ));
        }
    }
    Ok(())
}

fn parse_order(value: &str) -> Result<bool, BadLink> {
    match value {
        "keep" => Ok(true),
        "free" => Ok(false),
        _ => Err(BadLink::new(format!(
            "jitter-order '{value}' is not keep or free"
        ))),
    }
}

fn parse_loss(value: &str) -> Result<LossSpec, BadLink> {
    let Some(pairs) = parse_arguments(value, "ge")? else {
        let p = units::parse_fraction("loss", value)?;
        return Ok(if p > 0.0 {
            LossSpec::Iid(p)
        } else {
            LossSpec::None
        });
    };
    check_names(&pairs, &["p", "r", "bad", "good"], "ge")?;
    let find_value =
        |name: &str, default: Option<f64>| match pairs.iter().find(|(key, _)| *key == name) {
            Some((_, value)) => units::parse_fraction(name, value),
            None => {
                default.ok_or_else(|| BadLink::new(format!("ge needs {name}, like ge(p=1%,r=25%)")))
            }
        };
    Ok(LossSpec::GilbertElliott {
        to_bad: find_value("p", None)?,
        to_good: find_value("r", None)?,
        loss_bad: find_value("bad", Some(1.0))?,
        loss_good: find_value("good", Some(0.0))?,
    })
}

fn parse_mtu(value: &str) -> Result<u32, BadLink> {
    match value.trim_end_matches('B').parse() {
        // RFC 791: every module must forward a datagram of 68 octets.
        Ok(bytes) if (68..=ETHERNET_MTU).contains(&bytes) => Ok(bytes),
        _ => Err(BadLink::new(format!(
            "mtu '{value}' is not a whole number of bytes from 68 to 1500"
        ))),
    }
}
