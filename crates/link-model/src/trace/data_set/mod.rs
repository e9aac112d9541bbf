//! Well-known data sets and the outputs of tools, known by their content.
//!
//! Each is a file of this folder that has `DATA_SET`. `build.rs` lists the files; nothing else
//! names them.

use serde_json::Value;

use super::rate_table::{self, Choices, RateRows};
use super::table::Table;
use super::unit::Unit;
use crate::error::BadLink;

/// A data set or a tool's output.
pub(super) struct DataSet {
    /// Its name, as `import` prints it.
    pub name: &'static str,
    /// Whether a text is of this kind.
    pub matches: fn(&Sample) -> bool,
    /// Read such a text.
    pub read: fn(&Sample, &Choices) -> Result<Content, BadLink>,
}

/// A text, divided once for all data sets.
pub(super) struct Sample<'a> {
    pub text: &'a str,
    /// The names of columns, if the first line is a header.
    pub names: Vec<String>,
    /// The text as JSON, or its first line of JSON Lines.
    pub json: Option<Value>,
}

/// What a file of a data set has.
pub(super) enum Content {
    /// Rates at times.
    Rows(RateRows),
    /// Rates of given lengths: duration ns and bit/s.
    Pieces(Vec<(u64, u64)>, Vec<String>),
    /// Delays and losses, without a capacity.
    Settings(Settings),
}

/// A link text of what was measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The data set's name.
    pub format: &'static str,
    /// The link text.
    pub link: String,
    /// What was taken and what was left out, one clause each.
    pub notes: Vec<String>,
}

macro_rules! registry {
    ($($name:ident)*) => {
        /// All data sets.
        const ALL: &[DataSet] = &[$($name::DATA_SET),*];
    };
}

include!(concat!(env!("OUT_DIR"), "/data_sets.rs"));

/// The data set of a text.
pub(super) fn find(text: &str) -> Option<(&'static DataSet, Sample<'_>)> {
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let json = if first.trim_start().starts_with(['{', '[']) {
        serde_json::from_str(text)
            .or_else(|_| serde_json::from_str(first))
            .ok()
    } else {
        None
    };
    let names = Table::names_in(first);
    let sample = Sample { text, names, json };
    let found = ALL.iter().find(|data_set| (data_set.matches)(&sample))?;
    Some((found, sample))
}

impl Sample<'_> {
    /// Whether the header has all these names.
    pub fn has(&self, names: &[&str]) -> bool {
        names
            .iter()
            .all(|name| self.names.iter().any(|own| own == name))
    }

    /// A table's rates, of which the data set says what the header does not: the column taken
    /// unless the user names another, its unit, and the time column or the distance of rows.
    pub fn rates(
        &self,
        choices: &Choices,
        column: &str,
        unit: Unit,
        time: Time,
    ) -> Result<Content, BadLink> {
        let mut own = choices.clone();
        own.column.get_or_insert_with(|| column.to_string());
        own.unit.get_or_insert(unit);
        match time {
            _ if own.step.is_some() || own.time_column.is_some() => {}
            Time::Column(name) => own.time_column = Some(name.to_string()),
            Time::Step(seconds) => own.step = Some(seconds),
        }
        let mut read = rate_table::read(&Table::parse(self.text)?, &own)?;
        // A test lasts less than until the next one, and counts until then.
        read.end = None;
        read.notes
            .retain(|note| !note.starts_with("each row lasts"));
        if choices.unit.is_none() {
            read.notes.retain(|note| !note.starts_with("rates: "));
            let column = own.column.unwrap_or_default();
            read.notes.push(format!(
                "rates: column '{column}', {}, as its source says",
                unit.show()
            ));
        }
        Ok(Content::Rows(read))
    }
}

/// The times of a table's rows.
#[derive(Clone, Copy)]
pub(super) enum Time {
    /// In this column.
    Column(&'static str),
    /// This many seconds apart.
    Step(f64),
}

/// Round-trip times and losses of probes, as a link text.
#[derive(Default)]
pub(super) struct Probes {
    /// Round-trip time of each answered probe, ms.
    pub rtts_ms: Vec<f64>,
    /// Probes sent, and those lost on the way there, back, or on either.
    pub sent: usize,
    pub lost_up: usize,
    pub lost_down: usize,
    pub lost: usize,
    /// Their times, where the tool prints no others.
    pub summary: Option<Summary>,
    /// What was left out, one clause each.
    pub notes: Vec<String>,
}

/// The round-trip times of probes as a tool sums them up.
pub(super) struct Summary {
    pub answered: usize,
    pub mean_ms: f64,
    pub deviation_ms: f64,
}

impl Summary {
    /// That of these times. None without one.
    fn of(rtts_ms: &[f64]) -> Option<Summary> {
        let count = rtts_ms.len() as f64;
        let mean_ms = rtts_ms.iter().sum::<f64>() / count;
        let squares = rtts_ms.iter().map(|rtt| (rtt - mean_ms).powi(2));
        let deviation_ms = (squares.sum::<f64>() / count).sqrt();
        let answered = rtts_ms.len();
        (answered > 0).then_some(Summary {
            answered,
            mean_ms,
            deviation_ms,
        })
    }
}

impl Probes {
    /// `rtt=,rtt-sd=,up.loss=,down.loss=`. Errors without an answer.
    pub fn settings(&self, format: &'static str) -> Result<Content, BadLink> {
        let found = Summary::of(&self.rtts_ms);
        let Some(times) = found.as_ref().or(self.summary.as_ref()) else {
            return Err(BadLink::new("no probe was answered, so no delay is known"));
        };
        let mut link = vec![format!("rtt={}ms", short(times.mean_ms))];
        if times.deviation_ms > 0.0 {
            link.push(format!("rtt-sd={}ms", short(times.deviation_ms)));
        }
        let mut notes = vec![format!("{} probes, {} answered", self.sent, times.answered)];
        notes.extend(self.notes.iter().cloned());
        let share = |lost: usize| format!("{}%", short(100.0 * lost as f64 / self.sent as f64));
        if self.lost > 0 {
            push_loss(self.lost as f64 / self.sent as f64, &mut link, &mut notes);
        }
        for (side, lost) in [("up", self.lost_up), ("down", self.lost_down)] {
            if lost > 0 && self.lost == 0 {
                link.push(format!("{side}.loss={}", share(lost)));
            }
        }
        notes.push(
            "jitter: a link's is normally distributed, with the same standard deviation".into(),
        );
        notes.push("rate: no capacity was measured".into());
        Ok(Content::Settings(Settings {
            format,
            link: link.join(","),
            notes,
        }))
    }
}

/// Adds the loss of each direction, where a share of packets was lost on an unknown way.
pub(super) fn push_loss(share: f64, link: &mut Vec<String>, notes: &mut Vec<String>) {
    link.push(format!("loss={}%", short(100.0 * each_way(share))));
    let lost = short(100.0 * share);
    notes.push(format!(
        "{lost}% lost on an unknown way count half for each direction"
    ));
}

/// The loss of each direction of which a share of round trips is lost.
fn each_way(share: f64) -> f64 {
    1.0 - (1.0 - share).sqrt()
}

/// A number with four digits after the point, without trailing zeros.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The logs of Riiser and of Ghent: Unix time, ms since the start, latitude, longitude, bytes since
/// the row before, ms since it. `digits` is the length of the Unix time.
pub(super) mod interval_log {
    use super::Content;
    use crate::error::BadLink;
    use crate::trace::lines::content_lines;
    use crate::trace::rate_table::{Choices, RateRows};
    use crate::trace::rows::{Row, not_a_number};
    use crate::trace::unit::Unit;

    pub fn matches(text: &str, digits: usize) -> bool {
        let mut lines = content_lines(text).take(20).peekable();
        lines.peek().is_some() && lines.all(|(_, line)| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let within = |field: &str, most: f64| field.parse().is_ok_and(|degrees: f64| degrees.abs() <= most);
            let is_whole = |field: &str| field.bytes().all(|byte| byte.is_ascii_digit());
            matches!(fields.as_slice(), [unix, since, lat, lon, bytes, ms]
                if unix.len() == digits && is_whole(unix) && is_whole(since) && is_whole(bytes) && is_whole(ms)
                    && within(lat, 90.0) && within(lon, 180.0))
        })
    }

    /// The rate of each row held from the row before, or from `ms` before where that is later.
    pub fn read(text: &str, choices: &Choices) -> Result<Content, BadLink> {
        if choices
            .column
            .as_deref()
            .is_some_and(|column| column != "5")
        {
            return Err(BadLink::new(
                "its only rate is of the bytes in column 5; for another column give --unit and --time-column, too",
            ));
        }
        let mut rows: Vec<Row> = Vec::new();
        let mut before = f64::NEG_INFINITY;
        for (line, content) in content_lines(text) {
            let fields: Vec<&str> = content.split_whitespace().collect();
            let number = |i: usize| {
                let field = fields.get(i).copied().unwrap_or_default();
                field
                    .parse::<f64>()
                    .ok()
                    .filter(|n| n.is_finite())
                    .ok_or_else(|| not_a_number(line, field))
            };
            let (at, bytes, ms) = (number(1)? / 1e3, number(4)?, number(5)?);
            let start = (at - ms / 1e3).max(before);
            before = at;
            if ms > 0.0 {
                rows.push(Row::new(line, start, Some(bytes * 8e3 / ms), fields[4]));
            }
        }
        Ok(Content::Rows(RateRows {
            rows,
            unit: Unit::Rate(1.0),
            end: None,
            notes: vec![
                "rates: bytes since the row before (column 5) over the ms since it (column 6)"
                    .into(),
                "times: ms since the start (column 2)".into(),
            ],
        }))
    }
}

#[cfg(test)]
mod tests;
