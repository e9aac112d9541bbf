//! RFC 3339 timestamps: text in JSON, nanoseconds since 1970 in binary formats.
//!
//! A native timestamp remembers how it was written (digits, offset), so that JSON round-trips to
//! the same text. Binary formats carry only the instant and return it in UTC with 0, 3, 6 or 9
//! digits; if the corpus is written differently, the round trip reports that as a loss.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::checksum::{Checksum, Fold};
use crate::codec::is_text;

const DAY_S: i64 = 86_400;

/// An instant, and how it was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bitcode", derive(bitcode::Encode, bitcode::Decode))]
pub struct Timestamp {
    nanos: i64,
    digits: u8,
    /// Minutes east of UTC as written; `None` is `Z`.
    offset: Option<i16>,
}

impl Timestamp {
    /// An instant in ns since 1970, written in UTC.
    pub fn from_nanos(nanos: i64) -> Self {
        let digits = match nanos.rem_euclid(1_000_000_000) {
            0 => 0,
            fraction if fraction % 1_000_000 == 0 => 3,
            fraction if fraction % 1_000 == 0 => 6,
            _ => 9,
        };
        Self { nanos, digits, offset: None }
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub fn nanos(&self) -> i64 {
        self.nanos
    }

    /// Whole seconds since 1970 and the ns after them, as google.protobuf.Timestamp has them.
    pub fn seconds(&self) -> (i64, i32) {
        (self.nanos.div_euclid(1_000_000_000), self.nanos.rem_euclid(1_000_000_000) as i32)
    }

    /// The instant of google.protobuf.Timestamp.
    pub fn from_seconds(seconds: i64, nanos: i32) -> Result<Self, crate::Failure> {
        seconds
            .checked_mul(1_000_000_000)
            .and_then(|whole| whole.checked_add(i64::from(nanos)))
            .map(Self::from_nanos)
            .ok_or_else(|| "a timestamp exceeds 64 bits of ns".into())
    }

    /// Parses RFC 3339 with an upper-case `T` and `Z`; `None` for anything else, a leap second,
    /// more than nine digits, an offset of `-00:00`, or an instant that 64 bits of ns cannot
    /// represent (before 1677, after 2262).
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let number = |start: usize, end: usize| -> Option<i64> {
            let digits = bytes.get(start..end)?;
            digits
                .iter()
                .all(u8::is_ascii_digit)
                .then(|| digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
        };
        let at = |index: usize, expected: u8| bytes.get(index) == Some(&expected);
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let separated = at(4, b'-') && at(7, b'-') && at(10, b'T') && at(13, b':') && at(16, b':');
        if !separated || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let days = days_from_civil(year, month, day)?;
        let mut end = 19;
        let mut fraction = 0;
        if at(19, b'.') {
            end = 20 + bytes[20..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            fraction = number(20, end)?;
            if !(21..=29).contains(&end) {
                return None;
            }
            fraction *= 10_i64.pow(29 - end as u32);
        }
        let offset = match bytes.get(end)? {
            b'Z' if bytes.len() == end + 1 => None,
            sign @ (b'+' | b'-') if bytes.len() == end + 6 && at(end + 3, b':') => {
                let (hours, minutes) = (number(end + 1, end + 3)?, number(end + 4, end + 6)?);
                let total = hours * 60 + minutes;
                if hours > 23 || minutes > 59 || (*sign == b'-' && total == 0) {
                    return None;
                }
                Some(if *sign == b'-' { -total } else { total } as i16)
            }
            _ => return None,
        };
        let seconds = days * DAY_S + hour * 3600 + minute * 60 + second - i64::from(offset.unwrap_or(0)) * 60;
        let nanos = i64::try_from(i128::from(seconds) * 1_000_000_000 + i128::from(fraction)).ok()?;
        Some(Self { nanos, digits: end.saturating_sub(20) as u8, offset })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = self.nanos.rem_euclid(1_000_000_000);
        let seconds = self.nanos.div_euclid(1_000_000_000) + i64::from(self.offset.unwrap_or(0)) * 60;
        let (year, month, day) = civil_from_days(seconds.div_euclid(DAY_S));
        let second = seconds.rem_euclid(DAY_S);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        // bitcode reads these fields from bytes that may be corrupted.
        let digits = usize::from(self.digits.min(9));
        if digits > 0 {
            write!(f, ".{:0digits$}", fraction / 10_i64.pow(9 - digits as u32))?;
        }
        match self.offset {
            None => f.write_str("Z"),
            Some(minutes) => {
                let sign = if minutes < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", minutes.unsigned_abs() / 60, minutes.unsigned_abs() % 60)
            }
        }
    }
}

/// Days since 1970-01-01 of a date in the proleptic Gregorian calendar; `None` if the day does not
/// exist.
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years start in March, so that the leap day is the last day of a year.
    let shifted = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let (era, year_of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    Some(era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468)
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day_of_year - (153 * march_month + 2) / 5 + 1)
}

impl Fold for Timestamp {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.word(self.nanos as u64);
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if is_text::<S>(serializer.is_human_readable()) {
            serializer.collect_str(self)
        } else {
            serializer.serialize_i64(self.nanos)
        }
    }
}

struct TimestampVisitor;

impl Visitor<'_> for TimestampVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an RFC 3339 timestamp")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
        Timestamp::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_i64<E: de::Error>(self, nanos: i64) -> Result<Timestamp, E> {
        Ok(Timestamp::from_nanos(nanos))
    }

    fn visit_u64<E: de::Error>(self, nanos: u64) -> Result<Timestamp, E> {
        let nanos = i64::try_from(nanos).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(nanos), &self))?;
        Ok(Timestamp::from_nanos(nanos))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if is_text::<D>(deserializer.is_human_readable()) {
            deserializer.deserialize_str(TimestampVisitor)
        } else {
            deserializer.deserialize_i64(TimestampVisitor)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_epoch_and_its_neighbours_are_placed_right() {
        assert_eq!(Timestamp::parse("1970-01-01T00:00:00Z").unwrap().nanos(), 0);
        assert_eq!(Timestamp::parse("1969-12-31T23:59:59.5Z").unwrap().nanos(), -500_000_000);
        assert_eq!(Timestamp::parse("2024-02-29T12:00:00+02:00").unwrap().nanos(), 1_709_200_800_000_000_000);
    }

    #[test]
    fn the_text_comes_back_as_it_was_written() {
        for text in [
            "2024-02-29T12:00:00Z",
            "2024-12-31T23:59:59.120Z",
            "1999-01-01T00:30:00.123456789-05:30",
            "2024-02-29T12:00:00.1+02:00",
        ] {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn an_instant_alone_is_written_in_utc_with_the_digits_it_needs() {
        assert_eq!(Timestamp::from_nanos(1_500).to_string(), "1970-01-01T00:00:00.000001500Z");
        assert_eq!(Timestamp::from_nanos(1_000_000).to_string(), "1970-01-01T00:00:00.001Z");
        assert_eq!(Timestamp::from_nanos(-1_000_000_000).to_string(), "1969-12-31T23:59:59Z");
    }

    #[test]
    fn what_is_not_a_timestamp_is_refused() {
        for text in [
            "",
            "2023-02-29T00:00:00Z",
            "2024-01-01 00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00.1234567890Z",
            "2024-01-01T00:00:00-00:00",
            "9999-01-01T00:00:00Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
