//! Units of rates and amounts of data, as column names and people write them.

use super::lines::excerpt;
use crate::error::BadLink;

/// What a number in a column counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unit {
    /// A rate: bit/s per number.
    Rate(f64),
    /// Data since the row before: bits per number.
    Amount(f64),
    /// Data since the start: bits per number.
    Total(f64),
}

/// A unit in a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Named {
    Unit(Unit),
    /// Upper case for another reason than bytes, as in MBPS or throughputBps: bits or bytes per
    /// second.
    BitsOrBytes,
    /// An amount of bits, such as Mbit: per second or since the row before.
    RateOrAmount,
}

const PREFIXES: [(&str, f64); 16] = [
    ("kilo", 1e3),
    ("mega", 1e6),
    ("giga", 1e9),
    ("tera", 1e12),
    ("kibi", 1024.0),
    ("mebi", 1_048_576.0),
    ("gibi", 1_073_741_824.0),
    ("tebi", 1_099_511_627_776.0),
    ("ki", 1024.0),
    ("mi", 1_048_576.0),
    ("gi", 1_073_741_824.0),
    ("ti", 1_099_511_627_776.0),
    ("k", 1e3),
    ("m", 1e6),
    ("g", 1e9),
    ("t", 1e12),
];
const PER_SECOND: [&str; 12] = [
    " per second",
    "_per_second",
    "persecond",
    "_per_sec",
    " per sec",
    " per s",
    "_per_s",
    "/second",
    "/sec",
    "/s",
    "p/s",
    "ps",
];
/// Words directly before a unit, as in `rxkB/s` or `DLMbps`.
const DIRECTIONS: [&str; 6] = ["rx", "tx", "dl", "ul", "up", "down"];

impl Unit {
    /// Parse a unit: `Mbit/s`, `kbps`, `MB/s`, `bytes` since the row before, `total bytes`.
    pub fn parse(text: &str) -> Result<Unit, BadLink> {
        let (total, rest) = match text.trim().strip_prefix("total ") {
            Some(rest) => (true, rest.trim()),
            None => (false, text.trim()),
        };
        match (matched(rest), total) {
            (Some((length, Named::Unit(unit))), total) if length == rest.len() => {
                match (unit, total) {
                    (Unit::Amount(bits), true) => Some(Unit::Total(bits)),
                    (_, true) => None,
                    (unit, false) => Some(unit),
                }
            }
            _ => None,
        }
        .ok_or_else(|| {
            BadLink::new(format!(
                "'{}' is not a unit; give a rate such as Mbit/s, kbit/s or MB/s, data since the row before such as bytes or kB, or data since the start such as 'total bytes'",
                excerpt(text)
            ))
        })
    }

    /// The unit in words.
    pub(super) fn show(self) -> String {
        let scaled = |bits: f64, names: [&str; 4]| {
            let steps = [(1e9, 3), (1e6, 2), (1e3, 1), (1.0, 0)];
            let step = steps.iter().find(|(step, _)| bits % step == 0.0);
            step.map_or(format!("{bits} {}", names[0]), |&(step, i)| {
                match bits / step {
                    1.0 => names[i].to_string(),
                    many => format!("{many} {}", names[i]),
                }
            })
        };
        let bytes = ["B", "kB", "MB", "GB"];
        match self {
            Unit::Rate(bits) if bits % 8.0 == 0.0 && ![1e3, 1e6, 1e9, 1e12].contains(&bits) => {
                scaled(bits / 8.0, bytes) + "/s"
            }
            Unit::Rate(bits) => scaled(bits, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]),
            Unit::Amount(bits) => scaled(bits / 8.0, bytes) + " since the row before",
            Unit::Total(bits) => scaled(bits / 8.0, bytes) + " since the start",
        }
    }
}

/// The unit in a column's name. A rate counts before an amount; None without one.
pub(super) fn in_name(name: &str) -> Option<Named> {
    let found: Vec<Named> = name
        .char_indices()
        .filter(|&(at, _)| begins_word(name, at))
        .filter_map(|(at, _)| {
            let (_, named) = matched(&name[at..])?;
            let joined =
                name[..at].ends_with(|c: char| c.is_lowercase()) && name[at..].starts_with('B');
            let spelt = name[at..].to_ascii_lowercase().starts_with("byte");
            let is_rate = matches!(named, Named::Unit(Unit::Rate(_)));
            Some(if joined && is_rate && !spelt {
                Named::BitsOrBytes
            } else {
                named
            })
        })
        .collect();
    let is_amount = |named: &Named| matches!(named, Named::Unit(Unit::Amount(_)));
    let rate = found.iter().find(|named| !is_amount(named));
    rate.or(found.first()).copied()
}

/// Whether the name of a column says that it has rates, with a unit or without.
pub(super) fn names_a_rate(name: &str) -> bool {
    const WORDS: [&str; 18] = [
        "rate",
        "bitrate",
        "datarate",
        "throughput",
        "bandwidth",
        "goodput",
        "capacity",
        "bw",
        "tput",
        "thr",
        "download",
        "upload",
        "downlink",
        "uplink",
        "dl",
        "ul",
        "rx",
        "tx",
    ];
    words(name)
        .iter()
        .any(|word| WORDS.contains(&word.as_str()))
}

/// The words of a name in lower case, divided where the case or the kind of character changes.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut within, mut lower) = (false, false);
    for c in name.chars() {
        if !c.is_alphanumeric() {
            within = false;
            continue;
        }
        match words
            .last_mut()
            .filter(|_| within && !(lower && c.is_uppercase()))
        {
            Some(word) => word.extend(c.to_lowercase()),
            None => words.push(c.to_lowercase().collect()),
        }
        (within, lower) = (true, c.is_lowercase());
    }
    words
}

fn begins_word(name: &str, at: usize) -> bool {
    let before = &name[..at];
    let Some(last) = before.chars().next_back() else {
        return true;
    };
    let here = name[at..].chars().next().unwrap_or(' ');
    let start = before.rfind(|c: char| !c.is_alphanumeric());
    let word = before[start.map_or(0, |i| {
        i + before[i..].chars().next().map_or(1, char::len_utf8)
    })..]
        .to_lowercase();
    !last.is_alphanumeric()
        || last.is_lowercase() && here.is_uppercase()
        || DIRECTIONS.contains(&word.as_str())
}

/// The unit with which a text begins, and its length.
fn matched(text: &str) -> Option<(usize, Named)> {
    let lower = text.to_ascii_lowercase();
    let prefixes = PREFIXES.iter().filter(|(word, _)| lower.starts_with(word));
    prefixes
        .map(|&(word, factor)| (word.len(), factor))
        .chain([(0, 1.0)])
        .filter_map(|(length, factor)| {
            quantity(&text[length..], &lower[length..], factor, length > 0)
                .map(|(more, named)| (length + more, named))
        })
        .max_by_key(|&(length, _)| length)
}

/// Bits or bytes, per second or not, up to the end of the word.
fn quantity(text: &str, lower: &str, factor: f64, prefixed: bool) -> Option<(usize, Named)> {
    let words = [
        ("bytes", 8.0),
        ("byte", 8.0),
        ("octets", 8.0),
        ("octet", 8.0),
        ("bits", 1.0),
        ("bit", 1.0),
    ];
    let spelt = words.iter().find(|(word, _)| lower.starts_with(word));
    let (length, bits) = match spelt {
        Some(&(word, bits)) => (word.len(), bits),
        None if text.starts_with('B') => (1, 8.0),
        None if text.starts_with('b') => (1, 1.0),
        None => return None,
    };
    let ends = |at: usize| !text[at..].starts_with(|c: char| c.is_alphanumeric());
    let per = PER_SECOND
        .iter()
        .chain(["_sec", "_s"].iter().filter(|_| spelt.is_some()))
        .find(|per| lower[length..].starts_with(**per) && ends(length + per.len()));
    let unit = factor * bits;
    match per {
        Some(per) => {
            let end = length + per.len();
            let shouted = spelt.is_none() && text.starts_with('B') && text[length..end] == *"PS";
            let named = if shouted {
                Named::BitsOrBytes
            } else {
                Named::Unit(Unit::Rate(unit))
            };
            Some((end, named))
        }
        None if !ends(length) || (spelt.is_none() && !prefixed) => None,
        None if bits == 8.0 => Some((length, Named::Unit(Unit::Amount(unit)))),
        None => Some((length, Named::RateOrAmount)),
    }
}
