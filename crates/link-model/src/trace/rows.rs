//! Rows of times and values. Each value holds until the next row's time.

use super::lines::excerpt;
use super::{MAX_NS, SECOND};
use crate::error::BadLink;

/// One row of a recording.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Line number in the file.
    pub line: usize,
    /// Time, s.
    pub seconds: f64,
    /// The value; negative or not finite if the field has no valid value.
    pub value: f64,
    /// The field's text if it has no valid value, else empty.
    pub invalid_text: String,
}

impl Row {
    /// A row whose value was read from `field`, if it has one.
    pub fn new(line: usize, seconds: f64, value: Option<f64>, field: &str) -> Row {
        let mut row = Row {
            line,
            seconds,
            value: value.unwrap_or(f64::NAN),
            invalid_text: String::new(),
        };
        if !row.is_valid() {
            row.invalid_text = field.to_string();
        }
        row
    }

    /// Whether the value is a number of zero or more.
    pub fn is_valid(&self) -> bool {
        self.value.is_finite() && self.value >= 0.0
    }
}

/// The first two fields of a line.
pub(super) fn split_fields<'a>(
    number: usize,
    line: &'a str,
    what: &str,
) -> Result<(&'a str, &'a str), BadLink> {
    let mut fields = line.split_whitespace();
    match (fields.next(), fields.next()) {
        (Some(time), Some(value)) => Ok((time, value)),
        _ => Err(BadLink::new(format!(
            "trace line {number}: '{}' is not '{what}'",
            excerpt(line)
        ))),
    }
}

/// Parse a time in s, zero or more.
pub(super) fn seconds(number: usize, field: &str) -> Result<f64, BadLink> {
    match field.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err(not_a_number(number, field)),
    }
}

pub(super) fn not_a_number(number: usize, field: &str) -> BadLink {
    BadLink::new(format!(
        "trace line {number}: '{}' is not a number of zero or more",
        excerpt(field)
    ))
}

/// The duration in ns and value of each row. The last row lasts as long as the mean of the others;
/// a single one lasts 1 s.
///
/// Errors if there is no row, if time goes backwards or does not advance, or beyond ten days.
pub(super) fn row_durations(rows: &[Row], end: Option<f64>) -> Result<Vec<(u64, f64)>, BadLink> {
    let Some(origin) = rows.first().map(|row| row.seconds) else {
        return Err(BadLink::new("trace is empty; it needs at least one rate"));
    };
    let mut starts: Vec<f64> = Vec::with_capacity(rows.len() + 1);
    for row in rows {
        let start = ((row.seconds - origin) * SECOND as f64).round();
        if start < starts.last().copied().unwrap_or(0.0) {
            return Err(time_goes_back(row.line));
        }
        if start > MAX_NS as f64 {
            return Err(BadLink::new(format!(
                "trace line {}: beyond ten days; cut the trace",
                row.line
            )));
        }
        starts.push(start);
    }
    let length = starts[starts.len() - 1];
    let last = if rows.len() > 1 {
        length / (rows.len() - 1) as f64
    } else {
        SECOND as f64
    };
    let said = end.map(|end| ((end - origin) * SECOND as f64).round() - length);
    let last = said.filter(|ns| *ns >= 1.0).unwrap_or(last);
    if length + last > MAX_NS as f64 {
        return Err(BadLink::new("trace is longer than ten days; cut it"));
    }
    if last < 1.0 {
        return Err(BadLink::new(
            "trace has no length: all its rows have the same time",
        ));
    }
    starts.push(length + last);
    let lengths = starts.windows(2).map(|w| (w[1] - w[0]).round() as u64);
    Ok(lengths.zip(rows).map(|(ns, row)| (ns, row.value)).collect())
}

pub(super) fn time_goes_back(line: usize) -> BadLink {
    BadLink::new(format!(
        "trace line {line}: time goes back; sort it, or `import --clean order=sort`"
    ))
}
