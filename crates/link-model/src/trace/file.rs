//! Trace files: detecting and reading their format. Input is untrusted.

use super::cleaning::{Cleaning, Findings};
use super::lines::{content_lines, decode_text};
use super::{Trace, capture, mahimahi, rate_table};
use crate::error::BadLink;

/// Largest trace file accepted. Eight hours of a 12 Mbit/s mahimahi trace are smaller.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// The formats of trace files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One whole number of ms per line: an opportunity to send 1,500 bytes.
    Mahimahi,
    /// `seconds Mbit/s` per line.
    SecondsMbit,
    /// A header line, and rates in one column.
    Csv,
    /// Packets with times: pcap or pcapng.
    Capture,
}

impl Format {
    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Format::Mahimahi => "mahimahi",
            Format::SecondsMbit => "seconds Mbit/s",
            Format::Csv => "CSV",
            Format::Capture => "packet capture",
        }
    }
}

/// A trace file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// Its format.
    pub format: Format,
    /// The capacity over time.
    pub trace: Trace,
    /// Anomalies in its rows. None for formats without rows of times and rates.
    pub findings: Option<Findings>,
}

/// Read a trace file without cleaning. `column` selects the rate column of a CSV file; of a
/// capture, the interface or the sender's IPv4 address.
pub fn parse(bytes: &[u8], column: Option<&str>) -> Result<(Format, Trace), BadLink> {
    let read = parse_with(bytes, column, &Cleaning::default())?;
    Ok((read.format, read.trace))
}

/// Read a trace file and clean it.
pub fn parse_with(
    bytes: &[u8],
    column: Option<&str>,
    cleaning: &Cleaning,
) -> Result<Recording, BadLink> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(BadLink::new("trace is larger than 16 MiB; cut it"));
    }
    let (format, text) = if capture::is_capture(bytes) {
        (Format::Capture, "")
    } else {
        let text = decode_text(bytes)?;
        (detect(text)?, text)
    };
    let rows = match format {
        Format::SecondsMbit => Some(rate_table::parse_seconds_mbit(text)?),
        Format::Csv => Some(rate_table::parse_csv(text, column)?),
        Format::Mahimahi | Format::Capture => None,
    };
    let (trace, findings) = match rows {
        Some(rows) => {
            let (rows, findings) = cleaning.rows(rows)?;
            (rate_table::to_trace(&rows)?, Some(findings))
        }
        None if format == Format::Capture => (capture::parse(bytes, column)?, None),
        None => (mahimahi::parse(text, cleaning.sort)?, None),
    };
    Ok(Recording {
        format,
        trace: cleaning.trace(trace)?,
        findings,
    })
}

fn detect(text: &str) -> Result<Format, BadLink> {
    let Some((_, first)) = content_lines(text).next() else {
        return Err(BadLink::new("trace is empty; it needs at least one rate"));
    };
    if first.contains([',', ';']) {
        return Ok(Format::Csv);
    }
    Ok(if first.split_whitespace().count() >= 2 {
        Format::SecondsMbit
    } else {
        Format::Mahimahi
    })
}
