//! Models of netem-trace and rattan (github.com/stack-rs): bandwidth as nested configurations in
//! JSON.

use serde_json::Value;

use super::{Content, DataSet};
use crate::error::BadLink;
use crate::units;

/// Most pieces that a model is written out to.
const MAX_PIECES: usize = 200_000;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "netem-trace model",
    matches: |sample| {
        let name = sample.json.as_ref().and_then(single).map(|(name, _)| name);
        name.is_some_and(|name| name.ends_with("Config"))
    },
    read: |sample, _| {
        let mut pieces = Vec::new();
        let mut notes = Vec::new();
        let json = sample.json.as_ref().unwrap_or(&Value::Null);
        model(json, &mut pieces, &mut notes)?;
        Ok(Content::Pieces(pieces, notes))
    },
};

/// The only entry of an object.
fn single(json: &Value) -> Option<(&String, &Value)> {
    let object = json.as_object()?;
    object.iter().next().filter(|_| object.len() == 1)
}

fn model(json: &Value, pieces: &mut Vec<(u64, u64)>, notes: &mut Vec<String>) -> Result<(), BadLink> {
    let (name, body) = single(json).ok_or_else(|| BadLink::new("netem-trace: a model is not one named object"))?;
    match name.as_str() {
        "StaticBwConfig" => pieces.push((duration(body, "duration")?, rate(&body["bw"])?)),
        "TraceBwConfig" => {
            let steps = body.as_array().or(body["pattern"].as_array()).ok_or_else(|| missing(name, "pattern"))?;
            for step in steps {
                let rates = step[1].as_array().ok_or_else(|| missing(name, "rates"))?;
                // Without human-readable quantities, ms and Mbit/s.
                let ns = match step[0].as_f64() {
                    Some(ms) => nanoseconds(ms / 1e3)?,
                    None => duration(step, "0").or_else(|_| time(&step[0]))?,
                };
                for each in rates {
                    pieces.push((ns, match each.as_f64() {
                        Some(mbit) if mbit >= 0.0 => (mbit * 1e6).round() as u64,
                        _ => rate(each)?,
                    }));
                }
            }
        }
        "RepeatedBwPatternConfig" => {
            let pattern = body["pattern"].as_array().ok_or_else(|| missing(name, "pattern"))?;
            for part in pattern {
                model(part, pieces, notes)?;
            }
            if let Some(count) = body["count"].as_u64().filter(|count| *count > 0) {
                notes.push(format!("the pattern repeats for ever, not {count} times"));
            }
        }
        "SawtoothBwConfig" if is_zero(&body["std_dev"]) => sawtooth(body, pieces)?,
        "NormalizedBwConfig" if is_zero(&body["std_dev"]) => {
            pieces.push((duration(body, "duration")?, rate(&body["mean"])?));
        }
        "SawtoothBwConfig" | "NormalizedBwConfig" => {
            return Err(BadLink::new(format!(
                "netem-trace: {name} draws at random; write its trace in mahimahi's format, or use rate=gen(median=,sigma=)"
            )));
        }
        other => {
            let short: String = other.chars().take(40).collect();
            return Err(BadLink::new(format!(
                "netem-trace: {} is not a known model of bandwidth; write its trace in mahimahi's format",
                short.escape_debug()
            )));
        }
    }
    if pieces.len() > MAX_PIECES {
        return Err(BadLink::new("netem-trace: the model has more than 200000 steps; shorten it"));
    }
    Ok(())
}

/// Steps that rise from bottom to top in a share of each interval, and fall in the rest.
fn sawtooth(body: &Value, pieces: &mut Vec<(u64, u64)>) -> Result<(), BadLink> {
    let (bottom, top) = (rate(&body["bottom"])? as f64, rate(&body["top"])? as f64);
    let [step, interval, whole] = ["step", "interval", "duration"].map(|key| duration(body, key));
    let (step, interval, whole) = (step?, interval?, whole?);
    let duty = body["duty_ratio"].as_f64().filter(|duty| (0.0..=1.0).contains(duty)).unwrap_or(1.0);
    if step == 0 || interval == 0 || whole / step > MAX_PIECES as u64 {
        return Err(missing("SawtoothBwConfig", "step and interval that fit its duration"));
    }
    let mut at = 0;
    while at < whole {
        let phase = (at % interval) as f64 / interval as f64;
        let height = if phase < duty { phase / duty } else { (1.0 - phase) / (1.0 - duty) };
        pieces.push((step.min(whole - at), (bottom + (top - bottom) * height).round() as u64));
        at += step;
    }
    Ok(())
}

fn is_zero(value: &Value) -> bool {
    value.is_null() || rate(value).is_ok_and(|bps| bps == 0)
}

/// A rate: `12Mbps`, or `{"gbps": 0, "bps": 12000000}`.
fn rate(value: &Value) -> Result<u64, BadLink> {
    let bad = || BadLink::new(format!("netem-trace: '{}' is not a rate, such as 12Mbps", shorten(value)));
    if let Some(text) = value.as_str() {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(bad)?;
        let number: f64 = text[..end].parse().map_err(|_| bad())?;
        let crate::trace::unit::Unit::Rate(factor) = crate::trace::unit::Unit::parse(&text[end..])? else {
            return Err(bad());
        };
        return Ok((number * factor).round() as u64);
    }
    let part = |key: &str| value.get(key).and_then(Value::as_u64);
    match (part("gbps"), part("bps")) {
        (None, None) => Err(bad()),
        (gbps, bps) => gbps
            .unwrap_or(0)
            .checked_mul(1_000_000_000)
            .and_then(|high| high.checked_add(bps.unwrap_or(0)))
            .ok_or_else(bad),
    }
}

fn duration(body: &Value, key: &str) -> Result<u64, BadLink> {
    time(body.get(key).unwrap_or(&Value::Null)).map_err(|_| missing("model", key))
}

/// A time: `1s`, `1s 500ms`, or `{"secs": 1, "nanos": 0}`.
fn time(value: &Value) -> Result<u64, BadLink> {
    if let Some(text) = value.as_str() {
        let parts = text.split_whitespace().map(|part| units::parse_duration_ns("duration", part));
        return nanoseconds(parts.sum::<Result<f64, BadLink>>()? / 1e9);
    }
    let seconds = value.get("secs").and_then(Value::as_f64).ok_or_else(|| missing("model", "duration"))?;
    nanoseconds(seconds + value.get("nanos").and_then(Value::as_f64).unwrap_or(0.0) / 1e9)
}

fn nanoseconds(seconds: f64) -> Result<u64, BadLink> {
    if !(0.0..=864_000.0).contains(&seconds) {
        return Err(BadLink::new("netem-trace: a step is longer than ten days; shorten it"));
    }
    Ok((seconds * 1e9).round() as u64)
}

fn missing(name: &str, key: &str) -> BadLink {
    BadLink::new(format!("netem-trace: {name} has no {key}"))
}

fn shorten(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}
