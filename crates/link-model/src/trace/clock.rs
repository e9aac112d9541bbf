//! Times of rows: numbers since a start, numbers since 1970, or dates.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, Timelike};

use super::lines::excerpt;
use super::rows::not_a_number;
use super::unit::words;
use crate::error::BadLink;

/// How the times of a column are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Clock {
    /// Numbers of this many seconds.
    Number(f64),
    /// Dates in this format of the crate chrono.
    Date(&'static str),
    /// Times of day, which may pass midnight.
    Day(&'static str),
}

/// A column's clock, and why it was taken.
pub(super) struct Taken {
    pub clock: Clock,
    pub why: String,
    /// Whether the unit is neither named nor evident.
    pub guessed: bool,
}

const UNITS: [(&str, f64); 19] = [
    ("s", 1.0),
    ("sec", 1.0),
    ("secs", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("ms", 1e-3),
    ("msec", 1e-3),
    ("msecs", 1e-3),
    ("millis", 1e-3),
    ("millisecond", 1e-3),
    ("milliseconds", 1e-3),
    ("us", 1e-6),
    ("usec", 1e-6),
    ("micros", 1e-6),
    ("microseconds", 1e-6),
    ("ns", 1e-9),
    ("nsec", 1e-9),
    ("nanos", 1e-9),
    ("nanoseconds", 1e-9),
];
/// Names of time columns without the words for unit, zone and epoch.
const NAMES: [&str; 31] = [
    "",
    "time",
    "t",
    "ts",
    "timestamp",
    "time stamp",
    "timestamps",
    "times",
    "date",
    "datetime",
    "date time",
    "start",
    "start time",
    "time start",
    "timestamp start",
    "interval start",
    "elapsed",
    "elapsed time",
    "time elapsed",
    "relative time",
    "rel time",
    "unixtime",
    "since start",
    "time since start",
    "from start",
    "time from start",
    "offset",
    "time offset",
    "sim time",
    "simtime",
    "simulation time",
];
const ZONES: [&str; 7] = ["utc", "gmt", "unix", "epoch", "iso", "iso8601", "local"];
/// Formats of dates. In those with slashes, the day may come first or the month.
const DATES: [&str; 32] = [
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y/%m/%d %H:%M:%S%.f",
    "%Y.%m.%d_%H.%M.%S%.f",
    "%Y.%m.%d %H:%M:%S%.f",
    "%Y-%m-%d_%H-%M-%S%.f",
    "%Y-%m-%d-%H-%M-%S%.f",
    "%Y-%m-%d_%H:%M:%S%.f",
    "%Y%m%dT%H%M%S%.f",
    "%Y%m%d_%H%M%S%.f",
    "%Y%m%d-%H:%M:%S%.f",
    "%Y%m%d%H%M%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
    "%a %b %d %H:%M:%S%.f %Y",
    "%a, %d %b %Y %H:%M:%S%.f",
    "%d-%b-%Y %H:%M:%S%.f",
    "%b %d, %Y %H:%M:%S%.f",
    "%d.%m.%Y %H:%M:%S%.f",
    "%d/%m/%Y %H:%M:%S%.f",
    "%m/%d/%Y %H:%M:%S%.f",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M",
    "%d/%m/%Y %I:%M:%S%.f %p",
    "%m/%d/%Y %I:%M:%S%.f %p",
    "%d/%m/%Y %I:%M %p",
    "%m/%d/%Y %I:%M %p",
    "%d/%m/%Y, %I:%M:%S%.f %p",
    "%m/%d/%Y, %I:%M:%S%.f %p",
    "%d/%m/%Y, %I:%M %p",
    "%m/%d/%Y, %I:%M %p",
    "%d.%m.%Y, %H:%M:%S%.f",
];
const DAYS: [&str; 2] = ["%H:%M:%S%.f", "%I:%M:%S%.f %p"];
/// Numbers without a unit and further apart than this are not taken for seconds.
const FAR_APART: f64 = 100.0;

/// The factor of a unit of time: s, ms, us or ns.
pub fn parse_time_unit(text: &str) -> Result<f64, BadLink> {
    let found = UNITS.iter().find(|(name, _)| *name == text);
    found.map(|&(_, factor)| factor).ok_or_else(|| {
        BadLink::new(format!(
            "'{}' is not a unit of time; give s, ms, us or ns",
            excerpt(text)
        ))
    })
}

/// Whether the name of a column says that it has times.
pub(super) fn names_a_time(name: &str) -> bool {
    let words = words(name);
    let is_unit = |word: &str| UNITS.iter().any(|(unit, _)| *unit == word);
    let rest: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !is_unit(word) && !ZONES.contains(word))
        .collect();
    !words.is_empty() && NAMES.contains(&rest.join(" ").as_str())
}

/// The clock of a column with these fields. `given` is the factor of a unit given by the user.
///
/// Errors if the fields are neither numbers nor dates of a known format.
pub(super) fn of_column(name: &str, fields: &[&str], given: Option<f64>) -> Result<Taken, BadLink> {
    let taken = |clock, why: &str, guessed| {
        Ok(Taken {
            clock,
            why: why.to_string(),
            guessed,
        })
    };
    if let Some(factor) = given {
        return taken(Clock::Number(factor), "as given", false);
    }
    let Some(first) = fields.first().map(|field| field.trim()) else {
        return taken(Clock::Number(1.0), "s", false);
    };
    let compact = first.len() >= 14 && (first.starts_with("19") || first.starts_with("20"));
    if let Ok(number) = first.parse::<f64>()
        && !(compact && is_date(DATES[11], first))
    {
        return Ok(of_numbers(name, number, fields));
    }
    let formats: Vec<&'static str> = DATES
        .into_iter()
        .filter(|format| fields.iter().all(|field| is_date(format, field)))
        .collect();
    if let [format, others @ ..] = formats.as_slice() {
        let lengths = |format: &'static str| -> Vec<f64> {
            let clock = Clock::Date(format);
            let all: Vec<f64> = fields
                .iter()
                .filter_map(|field| clock.seconds(field))
                .collect();
            all.iter().map(|seconds| seconds - all[0]).collect()
        };
        let own = lengths(format);
        if others.iter().any(|other| lengths(other) != own) {
            return Err(BadLink::new(format!(
                "column '{}' has dates like '{}', of which the day or the month may come first; write them as 2024-05-06 10:00:00",
                excerpt(name),
                excerpt(first)
            )));
        }
        return taken(Clock::Date(format), "dates", false);
    }
    let day = DAYS
        .into_iter()
        .find(|format| fields.iter().all(|field| is_day(format, field)));
    match day {
        Some(format) => taken(Clock::Day(format), "times of day", false),
        None if DATES.iter().any(|format| is_date(format, first)) => {
            let other = fields
                .iter()
                .find(|field| !DATES.iter().any(|format| is_date(format, field)));
            Err(BadLink::new(format!(
                "column '{}' has '{}' among dates like '{}'; write all in one form",
                excerpt(name),
                excerpt(other.unwrap_or(&first)),
                excerpt(first)
            )))
        }
        None => Err(BadLink::new(format!(
            "column '{}' has times like '{}', in no form that is known; name another by `import --time-column`, or the distance of rows by `import --step`",
            excerpt(name),
            excerpt(first)
        ))),
    }
}

/// The clock of numbers: by the unit in the name, by their size, or s.
fn of_numbers(name: &str, first: f64, fields: &[&str]) -> Taken {
    let words = words(name);
    let named = words
        .iter()
        .rev()
        .find_map(|word| UNITS.iter().find(|(unit, _)| unit == word));
    if let Some(&(unit, factor)) = named {
        return Taken {
            clock: Clock::Number(factor),
            why: format!("{unit}, as its name says"),
            guessed: false,
        };
    }
    let since_1970 = [
        (1e17, 1e-9, "ns"),
        (1e14, 1e-6, "us"),
        (1e11, 1e-3, "ms"),
        (1e8, 1.0, "s"),
    ];
    if let Some((_, factor, unit)) = since_1970.into_iter().find(|&(least, _, _)| first >= least) {
        let why = format!("{unit} since 1970, by their size");
        return Taken {
            clock: Clock::Number(factor),
            why,
            guessed: false,
        };
    }
    let numbers: Vec<f64> = fields
        .iter()
        .filter_map(|field| field.trim().parse().ok())
        .collect();
    let mut apart: Vec<f64> = numbers.windows(2).map(|w| w[1] - w[0]).collect();
    apart.sort_by(f64::total_cmp);
    let median = apart.get(apart.len() / 2).copied().unwrap_or(1.0);
    Taken {
        clock: Clock::Number(1.0),
        why: "s, without a unit".into(),
        guessed: median >= FAR_APART,
    }
}

impl Clock {
    /// The time of one field, s.
    fn seconds(self, field: &str) -> Option<f64> {
        match self {
            Clock::Number(factor) => {
                let number = field.trim().parse::<f64>().ok().filter(|n| n.is_finite());
                number.map(|number| number * factor)
            }
            Clock::Date(format) => date(format, field),
            Clock::Day(format) => {
                let time = NaiveTime::parse_from_str(&plain(field).0, format).ok()?;
                Some(
                    f64::from(time.num_seconds_from_midnight())
                        + f64::from(time.nanosecond()) / 1e9,
                )
            }
        }
    }

    /// The times of all fields since the first, s. Fields are given with their line.
    ///
    /// Errors for the first field that is not a time.
    pub fn times(self, fields: &[(usize, &str)]) -> Result<Vec<f64>, BadLink> {
        let mut origin = None;
        let (mut before, mut days) = (0.0, 0.0);
        fields
            .iter()
            .map(|&(line, field)| {
                let mut seconds = self
                    .seconds(field)
                    .ok_or_else(|| not_a_time(line, field, self))?;
                if matches!(self, Clock::Day(_)) {
                    if seconds + days < before - 43_200.0 {
                        days += 86_400.0;
                    }
                    seconds += days;
                    before = seconds;
                }
                Ok(seconds - *origin.get_or_insert(seconds))
            })
            .collect()
    }
}

fn not_a_time(line: usize, field: &str, clock: Clock) -> BadLink {
    match clock {
        Clock::Number(_) => not_a_number(line, field),
        _ => BadLink::new(format!(
            "trace line {line}: '{}' is not a time like those before",
            excerpt(field)
        )),
    }
}

/// Whether a field is a date without a time of day.
pub(super) fn is_date_alone(field: &str) -> bool {
    const FORMS: [&str; 6] = [
        "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y",
    ];
    FORMS
        .iter()
        .any(|form| NaiveDate::parse_from_str(field.trim(), form).is_ok())
}

/// Whether a field is a time of day without a date.
pub(super) fn is_time_alone(field: &str) -> bool {
    DAYS.iter().any(|form| is_day(form, field))
}

fn is_date(format: &str, field: &str) -> bool {
    date(format, field).is_some()
}

fn is_day(format: &str, field: &str) -> bool {
    NaiveTime::parse_from_str(&plain(field).0, format).is_ok()
}

fn date(format: &str, field: &str) -> Option<f64> {
    let (text, offset) = plain(field);
    let date = NaiveDateTime::parse_from_str(&text, format).ok()?.and_utc();
    Some(date.timestamp() as f64 + f64::from(date.timestamp_subsec_nanos()) / 1e9 - offset)
}

/// A date without its zone, and the zone's offset, s. Named zones count as UTC.
fn plain(field: &str) -> (String, f64) {
    let mut text: String = field
        .trim()
        .trim_matches(['[', ']'])
        .replace(',', ".")
        .replacen(". ", ", ", 1);
    if let Some(without) = text.strip_suffix('Z') {
        text = without.to_string();
    }
    let is_zone = |word: &&str| {
        let is_name = (3..=4).contains(&word.len()) && word.chars().all(|c| c.is_ascii_uppercase());
        is_name && !matches!(*word, "AM" | "PM")
    };
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| !is_zone(word))
        .collect();
    text = words.join(" ");
    let mut offset = 0.0;
    if let Some(at) = text
        .rfind(['+', '-'])
        .filter(|&at| text[..at].contains(':'))
        && let Some(minutes) = zone_minutes(&text[at + 1..])
    {
        let sign = if text[at..].starts_with('+') {
            60.0
        } else {
            -60.0
        };
        offset = sign * minutes;
        text.truncate(at);
    }
    (text.trim().to_string(), offset)
}

fn zone_minutes(text: &str) -> Option<f64> {
    let digits: String = text.trim().replace(':', "");
    let number: f64 = digits
        .parse()
        .ok()
        .filter(|_| digits.len() == 4 || digits.len() == 2)?;
    let whole = if digits.len() == 2 {
        number * 100.0
    } else {
        number
    };
    Some((whole / 100.0).floor() * 60.0 + whole % 100.0)
}
