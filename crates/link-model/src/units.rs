//! Quantities in link texts and output. Code and files use ns, bytes and bit/s.

use crate::error::BadLink;

const TIMES: [(&str, f64); 6] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("min", 60e9),
];
const RATES: [(&str, f64); 8] = [
    ("bit/s", 1.0),
    ("kbit/s", 1e3),
    ("Mbit/s", 1e6),
    ("Gbit/s", 1e9),
    ("bps", 1.0),
    ("kbps", 1e3),
    ("Mbps", 1e6),
    ("Gbps", 1e9),
];
const SIZES: [(&str, f64); 5] = [
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
];
/// One year in ns, longer than any lab runs, so that sums of times cannot overflow.
const MAX_NS: f64 = 365.0 * 86_400.0 * 1e9;
/// Highest rate accepted, bit/s.
pub(crate) const MAX_RATE: f64 = 1e12;

fn split_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|&(i, c)| {
            let exponent = matches!(c, 'e' | 'E')
                && text[i + 1..].starts_with(|d: char| d.is_ascii_digit() || d == '-');
            let sign = c == '-' && (i == 0 || text[..i].ends_with(['e', 'E']));
            !(c.is_ascii_digit() || c == '.' || exponent || sign)
        })
        .map_or(text.len(), |(i, _)| i);
    let number: f64 = text[..end].parse().ok()?;
    number.is_finite().then(|| (number, text[end..].trim()))
}

fn parse_quantity(
    what: &str,
    text: &str,
    units: &[(&str, f64)],
    max: f64,
    example: &str,
) -> Result<f64, BadLink> {
    let refuse =
        |why: &str| BadLink::new(format!("{what} '{text}' {why}; write it like {example}"));
    let (number, unit) = split_unit(text).ok_or_else(|| refuse("is not a number"))?;
    let factor = units
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, factor)| factor);
    let factor = factor.ok_or_else(|| {
        refuse(if unit.is_empty() {
            "has no unit"
        } else {
            "has an unknown unit"
        })
    })?;
    let value = number * factor;
    if value < 0.0 {
        return Err(refuse("is below zero"));
    }
    if value > max {
        return Err(refuse("is out of range"));
    }
    Ok(value)
}

/// Parse `80ms` or `1.5s` to ns, at most a year.
pub fn parse_duration_ns(what: &str, text: &str) -> Result<f64, BadLink> {
    parse_quantity(what, text, &TIMES, MAX_NS, "80ms or 1.5s")
}

/// Parse `2Mbit/s` or `250kbps` to bit/s, above zero and at most 1 Tbit/s.
pub fn parse_rate_bps(what: &str, text: &str) -> Result<u64, BadLink> {
    let value = parse_quantity(what, text, &RATES, MAX_RATE, "2Mbit/s or 64kbit/s")?.round();
    if value < 1.0 {
        return Err(BadLink::new(format!(
            "{what} '{text}' is too low; it must be at least 1bit/s"
        )));
    }
    Ok(value as u64)
}

/// Parse `64kB` or `1MiB` to bytes.
pub fn parse_size_bytes(what: &str, text: &str) -> Result<u64, BadLink> {
    Ok(parse_quantity(what, text, &SIZES, 1e12, "64kB or 1MiB")?.round() as u64)
}

/// Parse `5%` or `0.05` to a fraction in [0, 1].
pub fn parse_fraction(what: &str, text: &str) -> Result<f64, BadLink> {
    let value = parse_quantity(
        what,
        text,
        &[("%", 0.01), ("", 1.0)],
        f64::MAX,
        "5% or 0.05",
    )?;
    if value > 1.0 {
        return Err(BadLink::new(format!(
            "{what} '{text}' is above 100 %; write it like 5% or 0.05"
        )));
    }
    Ok(value)
}

/// Parse a plain number, zero or more.
pub fn parse_number(what: &str, text: &str) -> Result<f64, BadLink> {
    parse_quantity(what, text, &[("", 1.0)], 1e12, "0.5")
}

/// Format a rate with a readable unit.
pub fn show_rate(bps: f64) -> String {
    let (value, unit) = match bps {
        b if b >= 1e9 => (b / 1e9, "Gbit/s"),
        b if b >= 1e6 => (b / 1e6, "Mbit/s"),
        b if b >= 1e3 => (b / 1e3, "kbit/s"),
        b => (b, "bit/s"),
    };
    format!("{} {unit}", format_digits(value))
}

/// Format a time with a readable unit.
pub fn show_ns(ns: f64) -> String {
    let (value, unit) = match ns.abs() {
        t if t >= 1e9 => (ns / 1e9, "s"),
        t if t >= 1e6 => (ns / 1e6, "ms"),
        t if t >= 1e3 => (ns / 1e3, "us"),
        _ => (ns, "ns"),
    };
    format!("{} {unit}", format_digits(value))
}

/// Format a fraction as a percentage.
pub fn show_fraction(value: f64) -> String {
    format!("{} %", format_digits(value * 100.0))
}

fn format_digits(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::{
        parse_duration_ns, parse_fraction, parse_rate_bps, parse_size_bytes, show_ns, show_rate,
    };

    #[test]
    fn quantities_are_read_with_their_units() {
        assert_eq!(parse_duration_ns("rtt", "69.5ms"), Ok(69_500_000.0));
        assert_eq!(parse_rate_bps("rate", "2Mbit/s"), Ok(2_000_000));
        assert_eq!(parse_rate_bps("rate", "1e3kbps"), Ok(1_000_000));
        assert_eq!(parse_size_bytes("queue", "64KiB"), Ok(65_536));
        assert_eq!(parse_fraction("loss", "0.05"), parse_fraction("loss", "5%"));
    }

    #[test]
    fn a_quantity_that_makes_no_sense_is_refused_in_a_sentence() {
        let said = |r: Result<u64, super::BadLink>| r.unwrap_err().to_string();
        assert_eq!(
            said(parse_rate_bps("rate", "2")),
            "rate '2' has no unit; write it like 2Mbit/s or 64kbit/s"
        );
        assert_eq!(
            said(parse_rate_bps("rate", "2MB")),
            "rate '2MB' has an unknown unit; write it like 2Mbit/s or 64kbit/s"
        );
        assert_eq!(
            said(parse_rate_bps("rate", "0Mbit/s")),
            "rate '0Mbit/s' is too low; it must be at least 1bit/s"
        );
        assert!(
            parse_duration_ns("rtt", "-5ms").is_err()
                && parse_duration_ns("rtt", "nan").is_err()
                && parse_duration_ns("rtt", "1e300s").is_err()
        );
        assert!(parse_fraction("loss", "101%").is_err() && parse_fraction("loss", "five").is_err());
    }

    #[test]
    fn quantities_are_shown_with_the_unit_that_reads_best() {
        assert_eq!(show_rate(2_000_000.0), "2 Mbit/s");
        assert_eq!(show_ns(34_750_000.0), "34.75 ms");
    }
}
