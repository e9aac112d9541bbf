//! Tables: rows of fields between commas, semicolons, tabs or blanks, with or without a header.

use csv::StringRecord;
use serde_json::{Map, Value};

use super::lines::{content_lines, excerpt};
use super::{clock, unit};
use crate::error::BadLink;

/// Most rows of a table; each takes some 250 bytes.
const MAX_ROWS: usize = 1_000_000;
/// Most columns named in a message.
const MAX_LISTED: usize = 24;

/// A file of rows and columns.
pub(super) struct Table {
    /// Names of the columns. Numbers from 1 if `named` is false.
    pub names: Vec<String>,
    /// Whether the file names its columns, in a header or in a comment above the rows.
    pub named: bool,
    /// Whether fields are divided by blanks.
    pub blanks: bool,
    /// Comments before the first row, without their sign.
    pub comments: Vec<String>,
    /// Line number and fields of each row.
    pub rows: Vec<(usize, StringRecord)>,
}

impl Table {
    /// Divide a text into rows. The first line decides what separates fields.
    ///
    /// Errors for more than a million rows.
    pub fn parse(text: &str) -> Result<Table, BadLink> {
        let text = text.strip_prefix("sep=").map_or(text, |rest| {
            rest.split_once('\n').map_or("", |(_, rows)| rows)
        });
        let first = content_lines(text).next().map_or("", |(_, line)| line);
        let separator = [';', ',', '\t', '|']
            .into_iter()
            .find(|&sign| first.contains(sign));
        let mut rows: Vec<(usize, StringRecord)> = match separator {
            Some(separator) if separator != '\t' || has_words(first) => {
                Records::new(text, separator as u8)
                    .take(MAX_ROWS + 2)
                    .collect()
            }
            _ => content_lines(text)
                .take(MAX_ROWS + 2)
                .map(|(line, content)| (line, content.split_whitespace().collect()))
                .collect(),
        };
        if separator == Some(';') {
            rows = rows
                .into_iter()
                .map(|(line, record)| (line, record.iter().map(with_point).collect()))
                .collect();
        }
        if rows.len() > MAX_ROWS + 1 {
            return Err(BadLink::new(
                "trace has more than a million rows; cut it, or write the mean of several",
            ));
        }
        let comments = comments_above(text);
        let is_header = rows.first().is_some_and(|(_, record)| {
            !record.iter().any(|field| parse_number(field).is_some())
                && record.iter().any(has_words)
        });
        let width = rows.first().map_or(0, |(_, record)| record.len());
        let header = if is_header {
            let names = rows.remove(0).1;
            let units = rows
                .first()
                .filter(|(_, record)| has_units(record))
                .cloned();
            if units.is_some() {
                rows.remove(0);
            }
            let unit = |at: usize| units.as_ref().and_then(|(_, record)| record.get(at));
            let named = |(at, name): (usize, &str)| match unit(at).filter(|unit| !unit.is_empty()) {
                Some(unit) => format!("{name} {unit}"),
                None => name.to_string(),
            };
            Some(names.iter().enumerate().map(named).collect())
        } else {
            comments
                .iter()
                .rev()
                .find_map(|comment| header_in(comment, width))
        };
        Ok(Table {
            named: header.is_some(),
            blanks: separator.is_none() || separator == Some('\t'),
            names: header.unwrap_or_else(|| (1..=width).map(|i| i.to_string()).collect()),
            comments,
            rows,
        })
    }

    /// The rows of a JSON list of objects, or of JSON Lines. None for other JSON. Objects and lists
    /// inside are left out.
    pub fn of_json(text: &str) -> Option<Table> {
        let objects: Vec<Map<String, Value>> = serde_json::from_str(text).ok().or_else(|| {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines
                .take(MAX_ROWS)
                .map(|line| serde_json::from_str(line).ok())
                .collect()
        })?;
        let is_flat = |value: &Value| !value.is_object() && !value.is_array();
        let mut names: Vec<String> = Vec::new();
        for (name, value) in objects.iter().take(MAX_LISTED).flatten() {
            if is_flat(value) && !names.contains(name) {
                names.push(name.clone());
            }
        }
        let field = |value: Option<&Value>| match value {
            Some(Value::String(text)) => text.clone(),
            Some(value) if is_flat(value) && !value.is_null() => value.to_string(),
            _ => String::new(),
        };
        let row = |object: &Map<String, Value>| {
            names.iter().map(|name| field(object.get(name))).collect()
        };
        let rows = objects.iter().map(row).collect::<Vec<StringRecord>>();
        (names.len() > 1 && (2..=MAX_ROWS).contains(&rows.len())).then(|| Table {
            named: true,
            blanks: false,
            comments: Vec::new(),
            rows: (1..).zip(rows).collect(),
            names,
        })
    }

    /// The names of columns in a file's first line. Empty if it is not a header.
    pub fn names_in(first: &str) -> Vec<String> {
        let table = Table::parse(first).ok().filter(|table| table.named);
        table.map_or_else(Vec::new, |table| table.names)
    }

    /// The column of this name, or of this number from 1.
    pub fn column(&self, wanted: &str) -> Result<usize, BadLink> {
        let same = |name: &String| name.eq_ignore_ascii_case(wanted);
        let number = wanted
            .parse()
            .ok()
            .filter(|n| (1..=self.names.len()).contains(n));
        let found = self.names.iter().position(same).or(number.map(|n| n - 1));
        found.ok_or_else(|| {
            BadLink::new(format!(
                "trace has no column '{}'; it has: {}",
                excerpt(wanted),
                self.listed()
            ))
        })
    }

    /// The names of all columns, for a message.
    pub fn listed(&self) -> String {
        self.list(&(0..self.names.len()).collect::<Vec<_>>())
    }

    /// The names of some columns, for a message.
    pub fn list(&self, columns: &[usize]) -> String {
        let shown = columns.iter().take(MAX_LISTED);
        let mut names: Vec<String> = shown.map(|&at| excerpt(&self.names[at])).collect();
        if columns.len() > MAX_LISTED {
            names.push(format!("and {} more", columns.len() - MAX_LISTED));
        }
        names.join(", ")
    }

    /// A column's fields with their lines. Errors for a row that is too short.
    pub fn fields(&self, column: usize) -> Result<Vec<(usize, &str)>, BadLink> {
        let field = |(line, record): &'_ (usize, StringRecord)| -> Result<usize, BadLink> {
            match record.get(column) {
                Some(_) => Ok(*line),
                None => Err(BadLink::new(format!(
                    "trace line {line}: column {} is missing",
                    column + 1
                ))),
            }
        };
        self.rows
            .iter()
            .map(|row| Ok((field(row)?, row.1.get(column).unwrap_or_default())))
            .collect()
    }

    /// A field's number, and the factor of a unit after it: `93.4`, `93,4` between semicolons,
    /// `93.4 Mbit/s`.
    pub fn number(&self, field: &str) -> Option<(f64, Option<f64>)> {
        if let Some(number) = parse_number(field) {
            return Some((number, None));
        }
        let end = field.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+'))?;
        let number = parse_number(&field[..end])?;
        match unit::Unit::parse(&field[end..]) {
            Ok(unit::Unit::Rate(factor)) => Some((number, Some(factor))),
            _ => None,
        }
    }
}

fn parse_number(field: &str) -> Option<f64> {
    field.trim().parse().ok()
}

/// A number between semicolons with its decimal comma as a point; other fields as they are.
fn with_point(field: &str) -> String {
    let pointed = field.replacen(',', ".", 1);
    let is_number = pointed.parse::<f64>().is_ok() && field.contains(',');
    if is_number {
        pointed
    } else {
        field.to_string()
    }
}

/// Whether a row below the header has units, such as `s` and `[Mbit/s]`.
fn has_units(record: &StringRecord) -> bool {
    let is_unit = |field: &str| {
        field.is_empty()
            || clock::parse_time_unit(field.trim_matches(['[', ']', '(', ')'])).is_ok()
            || unit::in_name(field).is_some()
    };
    record.iter().all(is_unit) && record.iter().any(|field| unit::in_name(field).is_some())
}

fn has_words(text: &str) -> bool {
    text.contains(|c: char| c.is_alphabetic())
}

fn comments_above(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    lines
        .take_while(|line| line.is_empty() || line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim().to_string())
        .filter(|line| !line.is_empty())
        .collect()
}

/// The names of columns in a comment, if they are as many as the columns.
fn header_in(comment: &str, width: usize) -> Option<Vec<String>> {
    let divided = [
        comment
            .split([',', ';', '\t', '|'])
            .map(|name| name.trim().to_string())
            .collect::<Vec<_>>(),
        comment.split_whitespace().map(str::to_string).collect(),
        comment
            .split("  ")
            .map(|name| name.trim().to_string())
            .filter(|name| !name.is_empty())
            .collect(),
    ];
    let fits = |names: &Vec<String>| {
        names.len() == width && names.iter().any(|name| clock::names_a_time(name))
    };
    divided.into_iter().find(fits).filter(|_| width > 1)
}

/// The records of a CSV file with their line numbers, without blank lines and comments.
struct Records<'a> {
    text: &'a str,
    reader: csv::Reader<&'a [u8]>,
    /// Bytes read so far, and line feeds in them.
    read: (usize, usize),
}

impl<'a> Records<'a> {
    fn new(text: &'a str, separator: u8) -> Records<'a> {
        let reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        Records {
            text,
            reader,
            read: (0, 0),
        }
    }

    /// The line of the record that was just read. The reader's own number is that of a blank line
    /// or comment before the record.
    fn line(&mut self) -> usize {
        let (start, feeds) = self.read;
        let end = self.reader.position().byte() as usize;
        let new = self.text.as_bytes()[start..end].iter();
        self.read = (end, feeds + new.filter(|&&byte| byte == b'\n').count());
        let ended = self.text[..end].ends_with('\n');
        self.read.1 + usize::from(!ended)
    }
}

impl Iterator for Records<'_> {
    type Item = (usize, StringRecord);

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = StringRecord::new();
        while self.reader.read_record(&mut record).unwrap_or(false) {
            let line = self.line();
            let blank = record.iter().all(str::is_empty);
            if !blank && !record[0].starts_with('#') {
                return Some((line, record));
            }
        }
        None
    }
}
