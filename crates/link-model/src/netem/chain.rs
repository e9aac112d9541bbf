//! The way of packets through the queueing disciplines and classes of a device.

use super::parser::{Options, netem};
use super::statements::Node;
use super::units::{format_ms, parse_rate_bps, parse_size_bytes, parse_time_ns};
use crate::error::BadLink;

/// Disciplines that do nothing to a link: they order packets of a host.
const NEUTRAL: [&str; 8] = [
    "noqueue",
    "mq",
    "mqprio",
    "pfifo_fast",
    "fq",
    "ingress",
    "clsact",
    "prio",
];
/// Longest way from the root to a leaf.
const DEEPEST: usize = 16;

/// Whether a node has no rate, delay or loss, as the default of a device.
pub(super) fn is_idle(node: &Node) -> bool {
    NEUTRAL.contains(&node.kind)
        || matches!(node.kind, "fq_codel" | "codel" | "sfq" | "pfifo" | "bfifo")
}

/// The settings of one device, and what they leave out.
pub(super) fn settings(nodes: &[&Node]) -> Result<Options, BadLink> {
    let (way, notes) = way(nodes)?;
    let mut all = Options {
        differences: notes,
        ..Options::default()
    };
    let mut shapers: Vec<(u64, String)> = Vec::new();
    let mut queue = None;
    for node in &way {
        match node.kind {
            "netem" => {
                let options = netem(&node.words)?;
                all.differences.extend(options.differences);
                all.settings.extend(options.settings);
                all.limit = options.limit;
            }
            "tbf" => {
                let (rate, limit) = tbf(node, &mut all.differences)?;
                shapers.push((rate, node.name()));
                queue = limit;
            }
            "htb" if node.is_class => {
                if let Some(rate) = htb(node, &mut all.differences)? {
                    shapers.push((rate, node.name()));
                }
            }
            "htb" => {
                if !way.iter().any(|other| other.is_class) {
                    all.differences.push(
                        "htb: its classes are not given, so a rate that they have is not known; give those of tc class show".into(),
                    );
                }
            }
            kind if NEUTRAL.contains(&kind) => {
                all.differences
                    .push(format!("{} is dropped: a link has one queue", node.name()));
            }
            _ => queue = Some(leaf(node, &mut all.differences)?),
        }
    }
    let has_netem = way.iter().any(|node| node.kind == "netem");
    all.take_lowest_rate(shapers);
    if let Some(queue) = queue.filter(|_| all.has_rate()) {
        if has_netem {
            all.differences.push(format!(
                "queue {queue} is dropped: netem, which hangs below or above it, has the queue"
            ));
        } else {
            all.settings.push(("queue", queue));
        }
    }
    Ok(all)
}

/// The nodes that a packet passes, from the root to the leaf.
fn way<'n, 'a>(nodes: &[&'n Node<'a>]) -> Result<(Vec<&'n Node<'a>>, Vec<String>), BadLink> {
    let above = |node: &Node| {
        let parent = node.parent?;
        let others = || {
            nodes
                .iter()
                .copied()
                .filter(|other| !std::ptr::eq(*other, node))
        };
        let class = others().find(|other| other.is_class && other.is_at(parent));
        class.or_else(|| others().find(|other| !other.is_class && other.is_at(parent)))
    };
    let netems: Vec<&Node> = nodes
        .iter()
        .copied()
        .filter(|node| node.kind == "netem")
        .collect();
    let is_leaf = |node: &Node| {
        !nodes
            .iter()
            .any(|other| above(other).is_some_and(|up| std::ptr::eq(up, node)))
    };
    let leaves: Vec<&Node> = nodes.iter().copied().filter(|node| is_leaf(node)).collect();
    let mut leaf = match (netems.as_slice(), leaves.as_slice()) {
        ([one], _) => *one,
        ([], [one]) => *one,
        ([], several) => default_class(nodes, several)?,
        (several, _) => {
            let names: Vec<String> = several.iter().map(|node| node.name()).collect();
            return Err(BadLink::new(format!(
                "tc has {} netem of one device ({}), and a link has one way; give the commands of one",
                several.len(),
                names.join(", ")
            )));
        }
    };
    // Below a netem may be the discipline that sends what it has delayed.
    let mut depth = 0;
    loop {
        let below: Vec<&Node> = nodes
            .iter()
            .copied()
            .filter(|node| above(node).is_some_and(|up| std::ptr::eq(up, leaf)))
            .collect();
        depth += 1;
        leaf = match below.as_slice() {
            _ if depth > DEEPEST => break,
            [] => break,
            [one] => *one,
            several => default_class(nodes, several)?,
        };
    }
    let mut way = vec![leaf];
    let mut notes = Vec::new();
    while let Some(up) = above(way[way.len() - 1]) {
        if way.len() >= DEEPEST {
            return Err(BadLink::new(
                "tc's classes and disciplines have no root; check parent and handle",
            ));
        }
        way.push(up);
    }
    if let Some(parent) = way[way.len() - 1]
        .parent
        .filter(|parent| *parent != "ffff:" && !parent.is_empty())
    {
        notes.push(format!(
            "parent {parent} is not given: a rate or a queue that it has is not known"
        ));
    }
    way.reverse();
    for other in nodes
        .iter()
        .filter(|node| !way.iter().any(|on| std::ptr::eq(*on, **node)))
    {
        notes.push(format!(
            "{} is dropped: it is not on the way that is taken",
            other.name()
        ));
    }
    Ok((way, notes))
}

/// The class that packets take without a filter: `default` of htb.
fn default_class<'n, 'a>(
    nodes: &[&'n Node<'a>],
    leaves: &[&'n Node<'a>],
) -> Result<&'n Node<'a>, BadLink> {
    let root = nodes
        .iter()
        .find(|node| node.kind == "htb" && !node.is_class);
    let default = root.and_then(|root| {
        let at = root.words.iter().position(|word| *word == "default")?;
        let number = root
            .words
            .get(at + 1)?
            .trim_start_matches("0x")
            .trim_start_matches('0');
        Some(format!("{}{number}", root.id.split_inclusive(':').next()?))
    });
    let is_default = |node: &&&Node| {
        default
            .as_deref()
            .is_some_and(|id| node.id == id || node.parent == Some(id))
    };
    leaves.iter().find(is_default).copied().ok_or_else(|| {
        let names: Vec<String> = leaves.iter().map(|node| node.name()).collect();
        BadLink::new(format!(
            "tc has {} ways ({}), and a link has one; give the commands of one",
            leaves.len(),
            names.join(", ")
        ))
    })
}

/// Rate and queue of a token bucket filter.
fn tbf(node: &Node, notes: &mut Vec<String>) -> Result<(u64, Option<String>), BadLink> {
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
fn htb(node: &Node, notes: &mut Vec<String>) -> Result<Option<u64>, BadLink> {
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
fn leaf(node: &Node, notes: &mut Vec<String>) -> Result<String, BadLink> {
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
