//! Trace files: detecting and reading their format. Input is untrusted.

use super::cleaning::{Cleaning, Findings};
use super::lines::{content_lines, decode_text};
use super::rate_table::Choices;
use super::table::Table;
use super::{Trace, capture, compressed, mahimahi, rate_table};
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
    /// What was taken from the file and why, one clause each.
    pub notes: Vec<String>,
}

/// Read a trace file that says all about itself.
pub fn parse(bytes: &[u8]) -> Result<Recording, BadLink> {
    parse_with(bytes, &Choices::default(), &Cleaning::default())
}

/// Read a trace file and clean it.
pub fn parse_with(
    bytes: &[u8],
    choices: &Choices,
    cleaning: &Cleaning,
) -> Result<Recording, BadLink> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(BadLink::new("trace is larger than 16 MiB; cut it"));
    }
    let (bytes, expanded) = compressed::expand(bytes)?;
    let bytes = bytes.as_ref();
    let mut recording = if capture::is_capture(bytes) {
        Recording {
            format: Format::Capture,
            trace: capture::parse(bytes, choices.column.as_deref())?,
            findings: None,
            notes: Vec::new(),
        }
    } else {
        parse_text(&decode_text(bytes)?, choices, cleaning)?
    };
    recording.trace = cleaning.trace(recording.trace)?;
    if expanded {
        recording.notes.insert(0, "expanded from gzip".into());
    }
    Ok(recording)
}

fn parse_text(text: &str, choices: &Choices, cleaning: &Cleaning) -> Result<Recording, BadLink> {
    let mut lines = content_lines(text);
    let Some((_, first)) = lines.next() else {
        return Err(BadLink::new("trace is empty; it needs at least one rate"));
    };
    if first.starts_with(['{', '[']) {
        return Err(BadLink::new(
            "trace is JSON of no known kind; write it as CSV with a header, or as lines of 'seconds Mbit/s'",
        ));
    }
    let is_number = |line: &str| line.parse::<f64>().is_ok();
    let one_column = |line: &str| !line.contains([',', ';', '\t', '|', ' ']);
    let is_named_column =
        !is_number(first) && lines.next().is_some_and(|(_, next)| is_number(next));
    if one_column(first) && !is_named_column && choices.unit.is_none() {
        let (trace, notes) = mahimahi::parse(text, cleaning.sort)?;
        return Ok(Recording {
            format: Format::Mahimahi,
            trace,
            findings: None,
            notes,
        });
    }
    let table = Table::parse(text);
    let format = if table.blanks && !table.named {
        Format::SecondsMbit
    } else {
        Format::Csv
    };
    let mut read = rate_table::read(&table, choices)?;
    let notes = std::mem::take(&mut read.notes);
    let (rows, findings) = rate_table::clean(read, cleaning)?;
    Ok(Recording {
        format,
        trace: rate_table::to_trace(&rows)?,
        findings: Some(findings),
        notes,
    })
}
