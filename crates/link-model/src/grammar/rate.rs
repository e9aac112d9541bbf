//! Rates: constant, generated, from a trace file, or with outages.

use std::sync::Arc;

use super::FileReader;
use super::function::{check_names, find_value, parse_arguments};
use crate::counter_rng::CounterRng;
use crate::error::BadLink;
use crate::spec::RateSpec;
use crate::trace::{self, Generator, OutageSpec, Trace};
use crate::units;

pub(super) fn parse_rate(value: &str) -> Result<RateSpec, BadLink> {
    if value == "unlimited" {
        return Ok(RateSpec::Unlimited);
    }
    match parse_arguments(value, "gen")? {
        Some(pairs) => Ok(RateSpec::Generated(parse_generator(&pairs)?)),
        None => Ok(RateSpec::Constant(units::parse_rate_bps("rate", value)?)),
    }
}

pub(super) fn read_trace(name: &str, read_file: FileReader) -> Result<RateSpec, BadLink> {
    let read = trace::parse(&read_file(name)?).map_err(|e| BadLink::new(format!("{name}: {e}")))?;
    Ok(RateSpec::Trace {
        name: name.to_string(),
        trace: Arc::new(read.trace),
    })
}

pub(super) fn parse_generator(pairs: &[(&str, &str)]) -> Result<Generator, BadLink> {
    const NAMES: [&str; 5] = ["median", "sigma", "correlation", "outage", "recovery"];
    check_names(pairs, &NAMES, "gen")?;
    let find_value = |name: &str| {
        pairs
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
    };
    let median = find_value("median")
        .ok_or_else(|| BadLink::new("gen needs median, like gen(median=2Mbit/s,sigma=0.8)"))?;
    let fraction = |name: &str, default: f64| {
        find_value(name).map_or(Ok(default), |value| units::parse_fraction(name, value))
    };
    let made = Generator {
        median_bps: units::parse_rate_bps("median", median)? as f64,
        sigma: find_value("sigma").map_or(Ok(0.0), |value| units::parse_number("sigma", value))?,
        correlation: fraction("correlation", 0.0)?,
        outage: fraction("outage", 0.0)?,
        recovery: fraction("recovery", 1.0)?,
        scheduled: None,
    };
    if made.sigma > 3.0 || made.correlation > 0.999 || (made.outage > 0.0 && made.recovery <= 0.0) {
        return Err(BadLink::new(
            "gen needs sigma <= 3, correlation <= 0.999, and recovery above 0 if outage is above 0",
        ));
    }
    Ok(made)
}

/// Add outages to a rate: `every(60s,for=2s,at=10s)`. Packets queued during an outage are sent
/// after it.
pub(super) fn add_outage(rate: &RateSpec, value: &str) -> Result<RateSpec, BadLink> {
    let (period_ns, at_ns, length_ns) = parse_schedule("outage", value)?;
    let outage = OutageSpec {
        period_ns,
        at_ns,
        length_ns,
    };
    let interrupted = |name: String, trace: &Trace| {
        Ok(RateSpec::Trace {
            name,
            trace: Arc::new(trace.interrupted(outage)?),
        })
    };
    let steady = |bps: u64| {
        let trace = Trace::from_pieces([(period_ns, bps)])?;
        interrupted(format!("outage {value}"), &trace)
    };
    match rate {
        RateSpec::Constant(bps) => steady(*bps),
        // The highest rate, so that packets queued during an outage leave at once after it.
        RateSpec::Unlimited => steady(units::MAX_RATE as u64),
        RateSpec::Trace { name, trace } => interrupted(format!("{name}, outage {value}"), trace),
        RateSpec::Generated(generator) => {
            let made = Generator {
                scheduled: Some(outage),
                ..*generator
            };
            // The seed is not known yet, but whether the schedule fits does not depend on it.
            made.trace(CounterRng::new(0))
                .map(|_| RateSpec::Generated(made))
        }
    }
}

/// Parse `every(60s,for=2s,at=10s)` to period, start and length, ns. The default start puts the end
/// at the end of the period.
pub(crate) fn parse_schedule(key: &str, value: &str) -> Result<(u64, u64, u64), BadLink> {
    let refuse = || {
        BadLink::new(format!(
            "{key} '{value}' is not a schedule; write it like every(60s,for=2s) or every(60s,for=2s,at=10s)"
        ))
    };
    let inner = value
        .strip_prefix("every(")
        .and_then(|v| v.strip_suffix(')'))
        .ok_or_else(refuse)?;
    let (period, rest) = inner.split_once(',').ok_or_else(refuse)?;
    let pairs: Vec<(&str, &str)> = rest
        .split(',')
        .map(|part| part.split_once('=').map(|(k, v)| (k.trim(), v.trim())))
        .collect::<Option<_>>()
        .ok_or_else(refuse)?;
    check_names(&pairs, &["for", "at"], key)?;
    let time = |text: &str| units::parse_duration_ns(key, text).map(|ns| ns.round() as u64);
    let (period, length) = (
        time(period)?,
        time(find_value(&pairs, "for").ok_or_else(refuse)?)?,
    );
    let at = find_value(&pairs, "at").map_or(Ok(period.saturating_sub(length)), time)?;
    if length == 0 || length >= period || at > period - length {
        return Err(BadLink::new(format!(
            "{key} '{value}' does not fit into its period; give a shorter for= or an earlier at="
        )));
    }
    Ok((period, at, length))
}
