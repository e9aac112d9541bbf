//! Rates and queues of the disciplines and classes that tc has beside netem.

use super::statements::Node;
use super::units::{format_ms, parse_rate_bps, parse_size_bytes, parse_time_ns};
use crate::error::BadLink;

/// Rate and queue of a token bucket filter.
pub(super) fn tbf(node: &Node, notes: &mut Vec<String>) -> Result<(u64, Option<String>), BadLink> {
    let (mut rate, mut queue, mut burst) = (None, None, None);
    let mut words = node.words.iter().copied();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| no_value("tbf", word));
        match word {
            "rate" => rate = Some(rate_of("tbf", value()?, notes)?),
            "latency" => queue = Some(format_ms(parse_time_ns("latency", value()?)? as f64)),
            "limit" => queue = Some(format!("{}B", parse_size_bytes("limit", value()?)?)),
            "burst" | "buffer" | "maxburst" => burst = Some(value()?),
            "lat" => queue = Some(format_ms(parse_time_ns("lat", value()?)? as f64)),
            "peakrate" | "mtu" | "minburst" | "mpu" | "overhead" | "linklayer" => {
                let value = value()?;
                notes.push(format!(
                    "tbf {word} {value} is dropped: a link has no such limit"
                ));
            }
            _ => return Err(unknown("tbf", word)),
        }
    }
    if let Some(burst) = burst {
        notes.push(format!(
            "tbf burst {burst} is dropped: a link sends each packet at its rate, without a burst"
        ));
    }
    let rate = rate
        .filter(|rate| *rate > 0)
        .ok_or_else(|| BadLink::new("tbf has no rate; give one, as rate 1mbit"))?;
    Ok((rate, queue))
}

/// The rate of an htb class: its ceil, which it may reach while no other class sends.
pub(super) fn htb(node: &Node, notes: &mut Vec<String>) -> Result<Option<u64>, BadLink> {
    let (mut rate, mut ceil) = (None, None);
    let mut dropped = Vec::new();
    let mut words = node.words.iter().copied();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| no_value("htb", word));
        match word {
            "rate" => rate = Some(rate_of("htb", value()?, notes)?),
            "ceil" => ceil = Some(rate_of("htb", value()?, notes)?),
            "burst" | "cburst" | "prio" | "quantum" | "mtu" | "mpu" | "overhead" | "linklayer" => {
                dropped.push(format!("{word} {}", value()?));
            }
            _ => return Err(unknown("htb", word)),
        }
    }
    if !dropped.is_empty() {
        notes.push(format!(
            "{}: dropped are {}",
            node.name(),
            dropped.join(", ")
        ));
    }
    if let (Some(rate), Some(ceil)) = (rate, ceil)
        && rate != ceil
    {
        notes.push(format!(
            "{}: its ceil counts, as nothing else sends on a link, not its rate of {rate} bit/s",
            node.name()
        ));
    }
    Ok(ceil.or(rate).filter(|rate| *rate > 0))
}

/// The queue of a discipline without classes.
pub(super) fn leaf(node: &Node, notes: &mut Vec<String>) -> Result<String, BadLink> {
    let value = |key: &str| {
        let at = node.words.iter().position(|word| *word == key)?;
        node.words.get(at + 1).copied()
    };
    let limit = value("limit").map(|text| text.trim_end_matches('p'));
    let packets = |default: &str| format!("{}p", limit.unwrap_or(default));
    match node.kind {
        "pfifo" => Ok(packets("1000")),
        "bfifo" => match value("limit") {
            Some(limit) => Ok(format!("{}B", parse_size_bytes("limit", limit)?)),
            None => Err(BadLink::new("bfifo has no limit; give one, as limit 30kb")),
        },
        "sfq" => {
            notes.push("sfq: a link has one queue for all flows".into());
            Ok(packets("127"))
        }
        "codel" | "fq_codel" => {
            let time = |key: &str, default: &'static str| {
                let ns = parse_time_ns(key, value(key).unwrap_or(default))?;
                Ok::<String, BadLink>(format_ms(ns as f64))
            };
            let is_fair = node.kind == "fq_codel";
            if is_fair {
                notes.push("fq_codel: a link has one queue for all flows".into());
            }
            let rest = [
                "flows",
                "quantum",
                "memory_limit",
                "drop_batch",
                "ecn",
                "noecn",
                "ce_threshold",
            ];
            for word in node.words.iter().filter(|word| rest.contains(word)) {
                notes.push(format!(
                    "{} {word} is dropped: a link has no such option",
                    node.kind
                ));
            }
            let limit = packets(if is_fair { "10240" } else { "1000" });
            Ok(format!(
                "codel(limit={limit},target={},interval={})",
                time("target", "5ms")?,
                time("interval", "100ms")?
            ))
        }
        kind => Err(BadLink::new(format!(
            "qdisc '{}' is not supported; supported are netem, tbf, htb, pfifo, bfifo, sfq, codel, fq_codel, prio",
            kind.chars().take(24).collect::<String>().escape_debug()
        ))),
    }
}

/// A rate, with a note where tc's unit is bytes.
pub(super) fn rate_of(of: &str, text: &str, notes: &mut Vec<String>) -> Result<u64, BadLink> {
    let bps = parse_rate_bps(text)?;
    if text.to_ascii_lowercase().ends_with("bps") {
        notes.push(format!(
            "{of} rate {text} is {bps} bit/s: bps of tc is bytes per second"
        ));
    }
    Ok(bps)
}

fn no_value(of: &str, word: &str) -> BadLink {
    BadLink::new(format!("{of} {word} has no value"))
}

fn unknown(of: &str, word: &str) -> BadLink {
    let shown: String = word.chars().take(24).collect();
    BadLink::new(format!(
        "{of} option '{}' is not supported",
        shown.escape_debug()
    ))
}
