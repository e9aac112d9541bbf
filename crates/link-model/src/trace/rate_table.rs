//! Rates over time in the columns of a table.
//!
//! A column, a unit or a time is taken only where the file says it, or the user. What would be a
//! guess is refused with the options that decide it.

use super::Trace;
use super::cleaning::{Cleaning, Findings};
use super::clock::{self, Clock};
use super::lines::excerpt;
use super::other_columns;
use super::rows::{Row, row_durations};
use super::table::Table;
use super::unit::{self, Named, Unit};
use crate::error::BadLink;

/// What the user says about a file, where it does not say it itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    /// The column of rates, by name or by number from 1; of a capture, the interface or the
    /// sender's IP address.
    pub column: Option<String>,
    /// The unit of that column.
    pub unit: Option<Unit>,
    /// The column of times, by name or by number from 1.
    pub time_column: Option<String>,
    /// The factor of its unit, s.
    pub time_unit: Option<f64>,
    /// The distance of rows without a column of times, s.
    pub step: Option<f64>,
}

const MAX_BPS: f64 = 1e12;
/// Numbers without a unit are taken for Mbit/s up to this, in bit/s.
const MAX_ASSUMED_BPS: f64 = 1e9;
/// Rows that only ever grow are taken for a counter from this many on.
const MANY: usize = 10;
/// The same for amounts of data, of which counters are common.
const MANY_AMOUNTS: usize = 3;
const OPTIONS: &str = "choose by `import --column NAME --unit Mbit/s`";

/// Rows of a table, their unit, and how they were understood.
pub(super) struct RateRows {
    pub rows: Vec<Row>,
    pub unit: Unit,
    /// When the last row ends, s. None where only the distance of rows says it.
    pub end: Option<f64>,
    pub notes: Vec<String>,
}

/// Read a table's rates.
///
/// Errors for what would be a guess, with the option that states it.
pub(super) fn read(table: &Table, choices: &Choices) -> Result<RateRows, BadLink> {
    if table.rows.is_empty() {
        return Err(BadLink::new("trace is empty; it needs at least one rate"));
    }
    let mut notes = Vec::new();
    let time = time_column(table, choices);
    let (time, times, mut end) = match (time, other_columns::durations(table)) {
        (Err(_), Some((at, factor))) => {
            let (times, end) = starts(table, at, factor)?;
            let name = excerpt(&table.names[at]);
            notes.push(format!("times: column '{name}', how long each row lasts"));
            (Some(at), times, Some(end))
        }
        (Err(error), None) => return Err(error),
        (Ok(Some(at)), _) => (Some(at), times_of(table, at, choices, &mut notes)?, None),
        (Ok(None), _) => {
            let step = choices.step.unwrap_or(1.0);
            let times = (0..table.rows.len()).map(|i| i as f64 * step);
            (None, times.collect(), None)
        }
    };
    let (column, unit) = rate_column(table, choices, time, &mut notes)?;
    let columns: Vec<usize> = time.into_iter().chain([column]).collect();
    other_columns::refuse_series(table, &times, &columns)?;
    if let (None, Some(starts), Unit::Rate(_)) = (end, time, unit)
        && let Some((last, name)) =
            other_columns::last_end(table, starts, &times, choices.time_unit)
    {
        end = Some(last);
        notes.push(format!(
            "each row lasts until the next one, the last until its '{}'",
            excerpt(name)
        ));
    }
    notes.extend(other_columns::note_of_link(table));
    let factor = match unit {
        Unit::Rate(factor) | Unit::Amount(factor) | Unit::Total(factor) => factor,
    };
    let fields = table.fields(column)?;
    let rows: Vec<Row> = fields
        .iter()
        .zip(times)
        .map(|(&(line, field), seconds)| {
            let value = table
                .number(field)
                .map(|(number, own)| number * own.unwrap_or(factor));
            Row::new(line, seconds, value, field)
        })
        .collect();
    Ok(RateRows {
        rows,
        unit,
        end,
        notes,
    })
}

/// When each row begins and the last one ends, by how long each lasts.
fn starts(table: &Table, column: usize, factor: f64) -> Result<(Vec<f64>, f64), BadLink> {
    let mut at = 0.0;
    let mut times = Vec::new();
    for (line, field) in table.fields(column)? {
        let length = table.number(field).map(|(number, _)| number * factor);
        let length = length
            .filter(|s| s.is_finite() && *s > 0.0)
            .ok_or_else(|| {
                BadLink::new(format!(
                    "trace line {line}: '{}' is not a duration above zero",
                    excerpt(field)
                ))
            })?;
        times.push(at);
        at += length;
    }
    Ok((times, at))
}

fn times_of(
    table: &Table,
    at: usize,
    choices: &Choices,
    notes: &mut Vec<String>,
) -> Result<Vec<f64>, BadLink> {
    let name = &table.names[at];
    let mut numbered = table.fields(at)?;
    let first = |at: usize| table.rows[0].1.get(at).unwrap_or_default();
    let is_date = |other: &usize| table.named && clock::is_date_alone(first(*other));
    let date = (0..table.names.len())
        .find(is_date)
        .filter(|_| clock::is_time_alone(first(at)));
    let joined: Vec<(usize, String)>;
    if let Some(date) = date {
        let dates = table.fields(date)?;
        let both = dates.iter().zip(&numbered);
        joined = both
            .map(|((_, date), (line, time))| (*line, format!("{date} {time}")))
            .collect();
        numbered = joined
            .iter()
            .map(|(line, text)| (*line, text.as_str()))
            .collect();
    }
    let fields: Vec<&str> = numbered.iter().map(|(_, field)| *field).collect();
    let taken = clock::of_column(name, &fields, choices.time_unit)?;
    let times = taken.clock.times(&numbered)?;
    let length = times.last().copied().unwrap_or(0.0) * 1e9;
    if taken.guessed && length <= super::MAX_NS as f64 {
        return Err(BadLink::new(format!(
            "column '{}' has times without a unit, 100 or more apart; state it by `import --time-unit s` or `--time-unit ms`",
            excerpt(name)
        )));
    }
    if table.named || taken.clock != Clock::Number(1.0) {
        let beside = date.map_or(String::new(), |date| {
            format!("'{}' and ", excerpt(&table.names[date]))
        });
        notes.push(format!(
            "times: column {beside}'{}', {}",
            excerpt(name),
            taken.why
        ));
    }
    Ok(times)
}

/// The column of times, or None with `--step`.
fn time_column(table: &Table, choices: &Choices) -> Result<Option<usize>, BadLink> {
    if choices.step.is_some() {
        return Ok(None);
    }
    if let Some(wanted) = &choices.time_column {
        return table.column(wanted).map(Some);
    }
    if !table.named {
        if table.names.len() == 2 {
            return Ok(Some(0));
        }
        return Err(BadLink::new(format!(
            "trace has {} columns and no header, not 'seconds Mbit/s'; say which by `import --time-column 1 --column 2 --unit Mbit/s`",
            table.names.len()
        )));
    }
    let changes = |at: &usize| {
        let field = |row: usize| table.rows[row].1.get(*at);
        table.rows.len() == 1 || (1..table.rows.len()).any(|row| field(row) != field(0))
    };
    let named = (0..table.names.len()).filter(|&at| clock::names_a_time(&table.names[at]));
    let by_date = || {
        (0..table.names.len()).filter(|&at| {
            let first = table.rows[0].1.get(at).unwrap_or_default();
            let is_number = table.number(first).is_some() || first.is_empty();
            !is_number && clock::of_column("", &[first], None).is_ok()
        })
    };
    let is_time = |at: &usize| !clock::is_date_alone(table.rows[0].1.get(*at).unwrap_or_default());
    let found: Vec<usize> = named.filter(changes).filter(is_time).collect();
    found.first().copied().or_else(|| by_date().find(changes)).map(Some).ok_or_else(|| {
        BadLink::new(format!(
            "trace has no column that is known as time; name it by `import --time-column`, or give the distance of rows, as --step 1s; it has: {}",
            table.listed()
        ))
    })
}

/// The column of rates and its unit.
fn rate_column(
    table: &Table,
    choices: &Choices,
    time: Option<usize>,
    notes: &mut Vec<String>,
) -> Result<(usize, Unit), BadLink> {
    let named = |at: usize| {
        table
            .named
            .then(|| unit::in_name(&table.names[at]))
            .flatten()
    };
    let others: Vec<usize> = (0..table.names.len())
        .filter(|&at| Some(at) != time)
        .collect();
    let has_unit = |at: &usize| matches!(named(*at), Some(Named::Unit(Unit::Rate(_))));
    let has_amount = |at: &usize| matches!(named(*at), Some(Named::Unit(Unit::Amount(_))));
    let in_fields = |at: usize| {
        let first = table.rows[0].1.get(at).unwrap_or_default();
        table.number(first).and_then(|(_, factor)| factor)
    };
    let rates: Vec<usize> = others.iter().copied().filter(has_unit).collect();
    let only = |all: Vec<usize>| (all.len() == 1).then(|| all[0]);
    let of = |wanted: &dyn Fn(usize) -> bool| {
        only(others.iter().copied().filter(|&at| wanted(at)).collect())
    };
    let column = match &choices.column {
        Some(wanted) => table.column(wanted)?,
        None => (rates.first().copied())
            .or_else(|| of(&|at| in_fields(at).is_some()))
            .or_else(|| of(&|at| has_amount(&at)))
            .or_else(|| only(others.clone()))
            .or_else(|| {
                choices
                    .unit
                    .and_then(|_| of(&|at| unit::names_a_rate(&table.names[at])))
            })
            .ok_or_else(|| no_rate(table, &others))?,
    };
    let name = excerpt(&table.names[column]);
    let by_comment = || {
        let units: Vec<Named> = table
            .comments
            .iter()
            .filter_map(|line| unit::in_name(line))
            .collect();
        match units.as_slice() {
            [Named::Unit(Unit::Rate(factor))] if table.names.len() == 2 => {
                Some(Unit::Rate(*factor))
            }
            _ => None,
        }
    };
    let (unit, why) = match (choices.unit, named(column)) {
        (Some(given), _) => (given, "as given"),
        (None, Some(Named::Unit(unit))) => (unit, "as its name says"),
        (None, Some(Named::BitsOrBytes)) => {
            return Err(BadLink::new(format!(
                "column '{name}' may be bits or bytes per second; state it by `import --unit Mbit/s` or `--unit MB/s`"
            )));
        }
        (None, Some(Named::RateOrAmount)) => {
            return Err(BadLink::new(format!(
                "column '{name}' has an amount of bits, per second or not; state it by `import --unit Mbit/s`"
            )));
        }
        (None, None) => match (in_fields(column), by_comment()) {
            (Some(factor), _) => (Unit::Rate(factor), "as its fields say"),
            (None, Some(unit)) => (unit, "as a comment says"),
            (None, None) => (assumed(table, column)?, "the unit of this format"),
        },
    };
    if table.named || choices.unit.is_some() {
        notes.push(format!("rates: column '{name}', {} {why}", unit.show()));
    }
    let more: Vec<String> = rates
        .iter()
        .filter(|&&at| at != column)
        .map(|&at| excerpt(&table.names[at]))
        .collect();
    if choices.column.is_none() && !more.is_empty() {
        notes.push(format!("other rates, by --column: {}", more.join(", ")));
    }
    Ok((column, unit))
}

fn no_rate(table: &Table, others: &[usize]) -> BadLink {
    let likely: Vec<usize> = others
        .iter()
        .copied()
        .filter(|&at| unit::names_a_rate(&table.names[at]))
        .collect();
    if likely.is_empty() {
        return BadLink::new(format!(
            "trace has no column with a rate unit in its name, such as rate_mbps; {OPTIONS}; it has: {}",
            table.listed()
        ));
    }
    BadLink::new(format!(
        "trace has columns that may be rates, but no unit in their names: {}; {OPTIONS}",
        table.list(&likely)
    ))
}

/// Mbit/s for two columns between blanks without any name, if the numbers are plausible.
fn assumed(table: &Table, column: usize) -> Result<Unit, BadLink> {
    let first = table.rows[0].1.get(column).unwrap_or_default();
    if !table.named && matches!(Unit::parse(first), Ok(Unit::Rate(_))) {
        return Err(BadLink::new(format!(
            "column {} has the unit of another column and no rates; give --column, --unit {} and --step or --time-column",
            column + 1,
            excerpt(first)
        )));
    }
    if table.named || !table.blanks || table.names.len() != 2 {
        return Err(BadLink::new(format!(
            "column '{}' has no unit; state it by `import --unit`, such as Mbit/s, kbit/s, MB/s or bytes",
            excerpt(&table.names[column])
        )));
    }
    let fields = table
        .rows
        .iter()
        .filter_map(|(_, record)| record.get(column));
    let numbers: Vec<f64> = fields
        .filter_map(|field| Some(table.number(field)?.0))
        .collect();
    let doubt = |why: &str| {
        BadLink::new(format!(
            "trace would be 'seconds Mbit/s', but {why}; state the unit by `import --unit`, such as kbit/s, or by a first line '# seconds Mbit/s'"
        ))
    };
    let highest = numbers.iter().copied().fold(0.0, f64::max);
    if highest * 1e6 > MAX_ASSUMED_BPS && highest * 1e6 <= MAX_BPS {
        return Err(doubt(&format!("{highest} Mbit/s is more than 1 Gbit/s")));
    }
    if numbers.len() >= MANY && numbers.windows(2).all(|w| w[1] > w[0]) {
        return Err(doubt("the second column only grows, like a counter"));
    }
    Ok(Unit::Rate(1e6))
}

/// Clean rows, and convert amounts to rates.
pub(super) fn clean(read: RateRows, cleaning: &Cleaning) -> Result<(Vec<Row>, Findings), BadLink> {
    let (mut rows, findings) = cleaning.rows(read.rows)?;
    if let Unit::Amount(_) = read.unit {
        let grows = rows.len() >= MANY_AMOUNTS && rows.windows(2).all(|w| w[1].value >= w[0].value);
        if grows && rows[0].value < rows[rows.len() - 1].value {
            return Err(BadLink::new(
                "the amounts only grow, like a counter; state it by `import --unit`, 'total bytes' for a counter or 'bytes' for data since the row before",
            ));
        }
    }
    let mut before = rows
        .first()
        .map_or(0.0, |row| row.seconds - findings.spacing_s);
    if let Unit::Total(_) = read.unit {
        if let Some(back) = rows.windows(2).find(|w| w[1].value < w[0].value) {
            return Err(BadLink::new(format!(
                "trace line {}: the total falls; cut the file where the counter starts again",
                back[1].line
            )));
        }
        let totals: Vec<f64> = rows.iter().map(|row| row.value).collect();
        before += findings.spacing_s;
        rows.drain(..1.min(rows.len()));
        rows.iter_mut()
            .zip(totals)
            .for_each(|(row, total)| row.value -= total);
    }
    if !matches!(read.unit, Unit::Rate(_)) {
        for row in &mut rows {
            let start = std::mem::replace(&mut before, row.seconds);
            row.value /= row.seconds - start;
            row.seconds = start;
        }
    }
    Ok((rows, findings))
}

/// Convert rows of bit/s to a trace. `end` is when the last one ends, s, where the file says it.
pub(super) fn to_trace(rows: &[Row], end: Option<f64>) -> Result<Trace, BadLink> {
    if let Some(row) = rows.iter().find(|row| row.value > MAX_BPS) {
        return Err(BadLink::new(format!(
            "trace line {}: a rate above 1 Tbit/s; check the unit, and state it by `import --unit`",
            row.line
        )));
    }
    let pieces = row_durations(rows, end)?;
    Trace::from_pieces(pieces.into_iter().map(|(ns, bps)| (ns, bps.round() as u64)))
}
