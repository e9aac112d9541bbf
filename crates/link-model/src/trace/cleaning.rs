//! Cleaning of recordings: anomalies in their rows, and how to handle them.

use super::Trace;
use super::rows::{Row, not_a_number, time_goes_back};
use crate::did_you_mean::did_you_mean;
use crate::error::BadLink;
use crate::units;

/// A distance between rows of more than this many medians is a gap.
const GAP: f64 = 3.0;
const KEYS: [&str; 6] = ["bad", "order", "same", "gaps", "zeros", "cap"];

/// How to handle rows whose rate is missing, negative or not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bad {
    /// Reject the file.
    #[default]
    Refuse,
    /// Ignore the row.
    Drop,
    /// Read the rate as 0.
    Zero,
}

/// How to handle several rows with the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Same {
    /// Use the last row.
    #[default]
    Last,
    /// Use the first row.
    First,
    /// Use the mean of the rows.
    Mean,
}

/// How to handle missing rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gaps {
    /// The last rate holds until the next row.
    #[default]
    Hold,
    /// The rate is 0 from one median distance after the last row.
    Zero,
    /// The gap is shortened to one median distance.
    Cut,
}

/// How to handle anomalies. The default rejects errors and changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cleaning {
    /// Invalid rates.
    pub bad: Bad,
    /// Sort rows whose time goes backwards instead of rejecting them.
    pub sort: bool,
    /// Repeated times.
    pub same: Same,
    /// Missing rows.
    pub gaps: Gaps,
    /// Longer periods without capacity are shortened to this, ns.
    pub zeros_ns: Option<u64>,
    /// Higher rates are lowered to this, bit/s.
    pub cap_bps: Option<u64>,
}

/// Anomalies found in the rows of a recording, before any cleaning.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Findings {
    /// Number of rows.
    pub rows: usize,
    /// Rows with an invalid rate.
    pub bad_rates: usize,
    /// Rows with a time before that of the previous row.
    pub backward_times: usize,
    /// Rows with the time of an earlier row.
    pub repeated_times: usize,
    /// Median distance between rows, s.
    pub spacing_s: f64,
    /// Distances of more than three times the median.
    pub gaps: usize,
    /// The longest gap, s.
    pub longest_gap_s: f64,
}

impl Cleaning {
    /// Parse `KEY=CHOICE,...`, such as `bad=drop,gaps=cut,zeros=5s`.
    pub fn parse(text: &str) -> Result<Cleaning, BadLink> {
        let mut cleaning = Cleaning::default();
        for part in text.split(',').map(str::trim) {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                BadLink::new(format!(
                    "cleaning '{part}' is not KEY=CHOICE, like gaps=cut"
                ))
            })?;
            cleaning.set(key.trim(), value.trim())?;
        }
        Ok(cleaning)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), BadLink> {
        match key {
            "bad" => {
                let all = [
                    ("refuse", Bad::Refuse),
                    ("drop", Bad::Drop),
                    ("zero", Bad::Zero),
                ];
                self.bad = choice(key, value, &all)?;
            }
            "order" => self.sort = choice(key, value, &[("refuse", false), ("sort", true)])?,
            "same" => {
                let all = [
                    ("last", Same::Last),
                    ("first", Same::First),
                    ("mean", Same::Mean),
                ];
                self.same = choice(key, value, &all)?;
            }
            "gaps" => {
                let all = [
                    ("hold", Gaps::Hold),
                    ("zero", Gaps::Zero),
                    ("cut", Gaps::Cut),
                ];
                self.gaps = choice(key, value, &all)?;
            }
            "zeros" => self.zeros_ns = Some(units::parse_duration_ns(key, value)?.round() as u64),
            "cap" => self.cap_bps = Some(units::parse_rate_bps(key, value)?),
            _ => {
                let hint = did_you_mean(key, KEYS, || format!("the keys are {}", KEYS.join(", ")));
                return Err(BadLink::new(format!("unknown cleaning '{key}'; {hint}")));
            }
        }
        Ok(())
    }

    /// The cleaned rows in order of time, and the anomalies found.
    pub(super) fn rows(&self, mut rows: Vec<Row>) -> Result<(Vec<Row>, Findings), BadLink> {
        let mut findings = Findings {
            rows: rows.len(),
            ..Findings::default()
        };
        findings.bad_rates = self.replace_bad(&mut rows)?;
        let returns = rows.windows(2).filter(|w| w[1].seconds < w[0].seconds);
        findings.backward_times = returns.clone().count();
        if let Some(first) = returns.map(|w| w[1].line).next().filter(|_| !self.sort) {
            return Err(time_goes_back(first));
        }
        rows.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let before = rows.len();
        rows = rows
            .chunk_by(|a, b| a.seconds == b.seconds)
            .map(|same| self.pick_one(same))
            .collect();
        findings.repeated_times = before - rows.len();
        let mut apart: Vec<f64> = rows
            .windows(2)
            .map(|w| w[1].seconds - w[0].seconds)
            .collect();
        apart.sort_by(f64::total_cmp);
        findings.spacing_s = apart.get(apart.len() / 2).copied().unwrap_or(1.0);
        let most = GAP * findings.spacing_s;
        findings.gaps = apart.iter().filter(|&&s| s > most).count();
        findings.longest_gap_s = apart.last().copied().filter(|&s| s > most).unwrap_or(0.0);
        Ok((self.handle_gaps(rows, findings.spacing_s), findings))
    }

    fn replace_bad(&self, rows: &mut Vec<Row>) -> Result<usize, BadLink> {
        let is_bad = |row: &Row| !row.is_valid();
        let bad = rows.iter().filter(|row| is_bad(row)).count();
        match self.bad {
            Bad::Refuse => {
                if let Some(row) = rows.iter().find(|row| is_bad(row)) {
                    return Err(BadLink::new(format!(
                        "{}; `import --clean bad=drop` skips such rows",
                        not_a_number(row.line, &row.invalid_text)
                    )));
                }
            }
            Bad::Drop => rows.retain(|row| !is_bad(row)),
            Bad::Zero => rows
                .iter_mut()
                .filter(|row| is_bad(row))
                .for_each(|row| row.value = 0.0),
        }
        Ok(bad)
    }

    fn pick_one(&self, same: &[Row]) -> Row {
        let first = same[0].clone();
        match self.same {
            Same::First => first,
            Same::Last => same[same.len() - 1].clone(),
            Same::Mean => Row {
                value: same.iter().map(|row| row.value).sum::<f64>() / same.len() as f64,
                ..first
            },
        }
    }

    fn handle_gaps(&self, rows: Vec<Row>, spacing: f64) -> Vec<Row> {
        if self.gaps == Gaps::Hold {
            return rows;
        }
        let (mut filled, mut left_out) = (Vec::with_capacity(rows.len()), 0.0);
        let mut before: Option<f64> = None;
        for row in rows {
            let gap = before.map_or(0.0, |before| row.seconds - before);
            before = Some(row.seconds);
            if gap > GAP * spacing {
                match self.gaps {
                    Gaps::Cut => left_out += gap - spacing,
                    _ => filled.push(Row {
                        seconds: row.seconds - gap + spacing,
                        value: 0.0,
                        ..row.clone()
                    }),
                }
            }
            filled.push(Row {
                seconds: row.seconds - left_out,
                ..row
            });
        }
        filled
    }

    /// Whether rows may get other times than the file says.
    pub(super) fn changes_times(&self) -> bool {
        self.gaps == Gaps::Cut
    }

    /// Apply `zeros` and `cap` to a trace.
    pub(super) fn trace(&self, trace: Trace) -> Result<Trace, BadLink> {
        if self.zeros_ns.is_none() && self.cap_bps.is_none() {
            return Ok(trace);
        }
        let (longest, cap) = (
            self.zeros_ns.unwrap_or(u64::MAX),
            self.cap_bps.unwrap_or(u64::MAX),
        );
        Trace::from_pieces(trace.pieces().map(|(ns, bps)| match bps {
            0 => (ns.min(longest), 0),
            bps => (ns, bps.min(cap)),
        }))
    }
}

fn choice<T: Copy>(key: &str, value: &str, all: &[(&str, T)]) -> Result<T, BadLink> {
    let chosen = all.iter().find(|(name, _)| *name == value);
    chosen.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        BadLink::new(format!("{key}={value} is not one of {}", names.join(", ")))
    })
}
