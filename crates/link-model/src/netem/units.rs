//! Quantities as tc writes them. Without a unit, a time is in us, a rate in bit/s and a probability
//! in percent; `bps` is bytes per second.

use crate::error::BadLink;

const TIMES: [(&str, f64); 13] = [
    ("", 1e3),
    ("s", 1e9),
    ("sec", 1e9),
    ("secs", 1e9),
    ("ms", 1e6),
    ("msec", 1e6),
    ("msecs", 1e6),
    ("us", 1e3),
    ("usec", 1e3),
    ("usecs", 1e3),
    ("ns", 1.0),
    ("nsec", 1.0),
    ("nsecs", 1.0),
];
const RATES: [(&str, f64); 14] = [
    ("", 1.0),
    ("bit", 1.0),
    ("kbit", 1e3),
    ("mbit", 1e6),
    ("gbit", 1e9),
    ("tbit", 1e12),
    ("kibit", 1024.0),
    ("mibit", 1_048_576.0),
    ("gibit", 1_073_741_824.0),
    ("bps", 8.0),
    ("kbps", 8e3),
    ("mbps", 8e6),
    ("gbps", 8e9),
    ("tbps", 8e12),
];
/// The limits of link texts: one year in ns, and 1 Tbit/s.
const MAX_NS: f64 = 365.0 * 86_400.0 * 1e9;
const MAX_BPS: f64 = 1e12;

fn parse_quantity(what: &str, text: &str, units: &[(&str, f64)], max: f64) -> Result<f64, BadLink> {
    let shown: String = text.chars().take(24).collect();
    let refuse = |why: &str| {
        BadLink::new(format!(
            "netem {what} '{}' {why}; see tc-netem(8)",
            shown.escape_debug()
        ))
    };
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let number: f64 = text[..end].parse().map_err(|_| refuse("is not a number"))?;
    let unit = text[end..].to_ascii_lowercase();
    let factor = units.iter().find(|(name, _)| *name == unit);
    let value = number * factor.ok_or_else(|| refuse("has an unknown unit"))?.1;
    if value > max {
        return Err(refuse("is out of range"));
    }
    Ok(value)
}

pub(super) fn parse_time_ns(what: &str, text: &str) -> Result<u64, BadLink> {
    Ok(parse_quantity(what, text, &TIMES, MAX_NS)?.round() as u64)
}

pub(super) fn parse_rate_bps(text: &str) -> Result<u64, BadLink> {
    Ok(parse_quantity("rate", text, &RATES, MAX_BPS)?.round() as u64)
}

/// Parse a size as tc writes it: k, m and g are powers of 1024, `bit` is bits.
pub(super) fn parse_size_bytes(what: &str, text: &str) -> Result<u64, BadLink> {
    const SIZES: [(&str, f64); 14] = [
        ("", 1.0),
        ("b", 1.0),
        ("k", 1024.0),
        ("kb", 1024.0),
        ("kib", 1024.0),
        ("m", 1_048_576.0),
        ("mb", 1_048_576.0),
        ("mib", 1_048_576.0),
        ("g", 1_073_741_824.0),
        ("gb", 1_073_741_824.0),
        ("bit", 0.125),
        ("kbit", 128.0),
        ("mbit", 131_072.0),
        ("gbit", 134_217_728.0),
    ];
    Ok(parse_quantity(what, text, &SIZES, MAX_BPS)?.round() as u64)
}

/// Parse a percentage from 0 to 100.
pub(super) fn parse_percent(what: &str, text: &str) -> Result<f64, BadLink> {
    parse_quantity(what, text, &[("%", 1.0), ("", 1.0)], 100.0)
}

/// Format a number without trailing zeros.
pub(super) fn format_number(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Format ns as ms.
pub(crate) fn format_ms(ns: f64) -> String {
    format!("{}ms", format_number(ns / 1e6))
}
