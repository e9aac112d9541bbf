//! The columns of a table beside times and rates: what they say about the rates, and what of them
//! no trace has.

use std::collections::BTreeMap;

use super::clock;
use super::lines::excerpt;
use super::table::Table;
use super::unit::words;
use crate::error::BadLink;

/// Most values of a column that tells series apart.
const MAX_SERIES: usize = 16;
/// Most columns named in a note.
const MAX_NAMED: usize = 6;
const OF_A_LINK: [&str; 9] = [
    "loss", "lost", "plr", "delay", "latency", "rtt", "owd", "jitter", "ping",
];
const DURATIONS: [&str; 2] = ["duration", "dwell"];

/// Errors for rows of several series, such as interfaces, at the same times. `columns` are those of
/// times and rates.
pub(super) fn refuse_series(
    table: &Table,
    times: &[f64],
    columns: &[usize],
) -> Result<(), BadLink> {
    let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (row, seconds) in times.iter().enumerate() {
        groups.entry(seconds.to_bits()).or_default().push(row);
    }
    let repeated = || groups.values().filter(|rows| rows.len() > 1);
    if !table.named || 2 * repeated().count() < groups.len() {
        return Ok(());
    }
    let fields = |column: usize, rows: &[usize]| {
        let values = rows.iter().filter_map(|&row| table.rows[row].1.get(column));
        let mut all: Vec<&str> = values.collect();
        all.sort_unstable();
        all.dedup();
        (all.len() == rows.len()).then_some(all)
    };
    for column in (0..table.names.len()).filter(|column| !columns.contains(column)) {
        let mut sets: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
        let is_distinct = repeated().all(|rows| {
            let found = fields(column, rows);
            found.is_some_and(|set| {
                *sets.entry(set).or_default() += 1;
                true
            })
        });
        let most = sets.iter().max_by_key(|(_, count)| **count);
        if let Some((set, count)) = most.filter(|(set, _)| is_distinct && set.len() <= MAX_SERIES)
            && 2 * count > repeated().count()
        {
            let shown: Vec<String> = set.iter().take(MAX_NAMED).map(|one| excerpt(one)).collect();
            return Err(BadLink::new(format!(
                "trace has several rows of each time, which column '{}' tells apart ({}); give the header and the rows of one",
                excerpt(&table.names[column]),
                shown.join(", ")
            )));
        }
    }
    Ok(())
}

/// A note on the columns of loss and delay, which are settings of a link and not in its trace.
pub(super) fn note_of_link(table: &Table) -> Option<String> {
    let is_one = |at: &usize| {
        words(&table.names[*at])
            .iter()
            .any(|word| OF_A_LINK.contains(&word.as_str()))
    };
    let found: Vec<usize> = (0..table.names.len())
        .filter(|at| table.named && is_one(at))
        .collect();
    let shown = &found[..found.len().min(MAX_NAMED)];
    (!found.is_empty()).then(|| {
        let more = if found.len() > shown.len() {
            ", ..."
        } else {
            ""
        };
        format!(
            "not in a trace: {}{more}; a link has loss=, rtt=, jitter=",
            table.list(shown)
        )
    })
}

/// When the last row ends, s since the first begins, by the column of ends beside that of starts,
/// and its name.
pub(super) fn last_end<'a>(
    table: &'a Table,
    starts: usize,
    times: &[f64],
    unit: Option<f64>,
) -> Option<(f64, &'a str)> {
    let is_end = |at: &usize| {
        words(&table.names[*at])
            .iter()
            .any(|word| word == "end" || word == "stop")
    };
    let at = (0..table.names.len()).find(|at| table.named && is_end(at))?;
    let ends = table.fields(at).ok()?;
    let fields: Vec<&str> = ends.iter().map(|(_, field)| *field).collect();
    let clock = clock::of_column(&table.names[at], &fields, unit)
        .ok()?
        .clock;
    let first = table.fields(starts).ok()?.into_iter().take(1);
    let since = clock
        .times(&first.chain(ends.iter().copied()).collect::<Vec<_>>())
        .ok()?;
    let are_ends = since[1..]
        .iter()
        .zip(times)
        .all(|(end, start)| end >= start);
    are_ends.then_some((*since.last()?, table.names[at].as_str()))
}

/// The column of how long each row lasts, and its unit in s, where a table has no times.
pub(super) fn durations(table: &Table) -> Option<(usize, f64)> {
    let unit = |at: usize| {
        let words = words(&table.names[at]);
        let is_one = words.iter().any(|word| DURATIONS.contains(&word.as_str()));
        let unit = words
            .iter()
            .find_map(|word| clock::parse_time_unit(word).ok());
        unit.filter(|_| is_one)
    };
    (0..table.names.len())
        .filter(|_| table.named)
        .find_map(|at| Some((at, unit(at)?)))
}
