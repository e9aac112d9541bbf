//! Trace files: detecting and reading their format. Input is untrusted.

use super::cleaning::{Cleaning, Findings};
use super::data_set::{self, Content, Settings};
use super::foreign;
use super::lines::{content_lines, decode_text};
use super::rate_table::{Choices, RateRows};
use super::table::Table;
use super::{Trace, capture, compressed, mahimahi, rate_table};
use crate::error::BadLink;

/// Largest trace file accepted. Eight hours of a 12 Mbit/s mahimahi trace are smaller.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

const MAX_BPS: u64 = 1_000_000_000_000;

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
    /// A data set or a tool's output of this name.
    DataSet(&'static str),
}

impl Format {
    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Format::Mahimahi => "mahimahi",
            Format::SecondsMbit => "seconds Mbit/s",
            Format::Csv => "CSV",
            Format::Capture => "packet capture",
            Format::DataSet(name) => name,
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
        let (trace, notes) = capture::parse(bytes, choices.column.as_deref())?;
        Recording {
            format: Format::Capture,
            trace,
            findings: None,
            notes,
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

/// What a file has that measured delays and losses and no capacity. None for other files.
pub fn settings(bytes: &[u8]) -> Result<Option<Settings>, BadLink> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Ok(None);
    }
    let (bytes, _) = compressed::expand(bytes)?;
    if capture::is_capture(&bytes) {
        return Ok(None);
    }
    let Ok(text) = decode_text(&bytes) else {
        return Ok(None);
    };
    match of_data_set(&text, &Choices::default()) {
        Some(Ok((name, Content::Settings(settings)))) => {
            let no_files = |_: &str| Err(BadLink::new("it names a file"));
            crate::parse_link(&settings.link, &no_files)
                .map_err(|e| BadLink::new(format!("{name}: its figures make no link: {e}")))?;
            Ok(Some(settings))
        }
        _ => Ok(None),
    }
}

/// The data set's name and content of a text. None if it is of no data set.
fn of_data_set(text: &str, choices: &Choices) -> Option<Result<(&'static str, Content), BadLink>> {
    let (data_set, sample) = data_set::find(text)?;
    let name = data_set.name;
    let content = (data_set.read)(&sample, choices);
    Some(
        content
            .map(|content| (name, content))
            .map_err(|e| BadLink::new(format!("{name}: {e}"))),
    )
}

fn parse_data_set(
    name: &'static str,
    content: Content,
    cleaning: &Cleaning,
) -> Result<Recording, BadLink> {
    let format = Format::DataSet(name);
    match content {
        Content::Rows(read) => from_rows(format, read, cleaning),
        Content::Pieces(pieces, _) if pieces.iter().any(|&(_, bps)| bps > MAX_BPS) => Err(
            BadLink::new(format!("{name}: a rate above 1 Tbit/s; check the file")),
        ),
        Content::Pieces(pieces, notes) => Ok(Recording {
            format,
            trace: Trace::from_pieces(pieces)?,
            findings: None,
            notes,
        }),
        Content::Settings(_) => Err(BadLink::new(format!(
            "{name} has delays and losses, and no capacity; `wirelab link import` prints them as a link text"
        ))),
    }
}

fn from_rows(
    format: Format,
    mut read: RateRows,
    cleaning: &Cleaning,
) -> Result<Recording, BadLink> {
    let notes = std::mem::take(&mut read.notes);
    let end = read.end.filter(|_| !cleaning.changes_times());
    let (rows, findings) = rate_table::clean(read, cleaning)?;
    Ok(Recording {
        format,
        trace: rate_table::to_trace(&rows, end)?,
        findings: Some(findings),
        notes,
    })
}

fn parse_text(text: &str, choices: &Choices, cleaning: &Cleaning) -> Result<Recording, BadLink> {
    let mut lines = content_lines(text);
    let Some((_, first)) = lines.next() else {
        return Err(BadLink::new("trace is empty; it needs at least one rate"));
    };
    let says_all =
        choices.unit.is_none() && choices.time_column.is_none() && choices.step.is_none();
    if says_all && let Some(found) = of_data_set(text, choices) {
        let (name, content) = found?;
        return parse_data_set(name, content, cleaning);
    }
    if says_all && let Some(why) = foreign::find(text) {
        return Err(BadLink::new(why));
    }
    if first.starts_with('<') {
        return Err(BadLink::new(
            "trace is XML or HTML; write it as CSV with a header, or as lines of 'seconds Mbit/s'",
        ));
    }
    if first.starts_with(['{', '['])
        && let Some(table) = Table::of_json(text)
    {
        let read = rate_table::read(&table, choices)?;
        return from_rows(Format::DataSet("JSON rows"), read, cleaning);
    }
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
    let table = Table::parse(text)?;
    let format = if table.blanks && !table.named {
        Format::SecondsMbit
    } else {
        Format::Csv
    };
    from_rows(format, rate_table::read(&table, choices)?, cleaning)
}
