//! Values of any type: the format's own values where it describes itself, JSON text elsewhere.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use crate::checksum::{Checksum, Fold};
use crate::codec::{Failure, is_ion, is_signed_only};
use crate::unions::{Buffered, tags_unions};

/// A JSON value, null too.
#[derive(Debug)]
pub struct Any(Buffered);

impl Default for Any {
    fn default() -> Self {
        Self(Buffered::Null)
    }
}

impl Any {
    /// The value in a JSON text.
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        Ok(serde_json::from_str(text)?)
    }

    /// This value.
    pub fn of(value: Buffered) -> Self {
        Self(value)
    }

    /// The value itself.
    pub fn value(&self) -> &Buffered {
        &self.0
    }

    /// The value as compact JSON.
    pub fn text(&self) -> String {
        // Keys are text and the writer is memory, so nothing can fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Serialize for Any {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if tags_unions::<S>() { serializer.serialize_str(&self.text()) } else { self.0.serialize(serializer) }
    }
}

impl Serialize for Buffered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Signed(value) => serializer.serialize_i64(*value),
            Self::Unsigned(value) => match i64::try_from(*value) {
                Ok(value) => serializer.serialize_i64(value),
                Err(_) if is_signed_only::<S>() || is_ion::<S>() => serializer.serialize_f64(*value as f64),
                Err(_) => serializer.serialize_u64(*value),
            },
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Bytes(value) => serializer.serialize_bytes(value),
            Self::List(items) => {
                let mut out = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    out.serialize_element(item)?;
                }
                out.end()
            }
            Self::Object(entries) => {
                let mut out = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    out.serialize_entry(key, value)?;
                }
                out.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Any {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if tags_unions::<D>() {
            let text = String::deserialize(deserializer)?;
            return Self::parse(&text).map_err(D::Error::custom);
        }
        Buffered::read(deserializer).map(Self)
    }
}

impl fmt::Display for Any {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Fold for Any {
    #[inline]
    fn fold(&self, sum: &mut Checksum) {
        fold_value(&self.0, sum);
    }
}

/// Numbers of equal value and objects in any order of keys have one checksum.
fn fold_value(value: &Buffered, sum: &mut Checksum) {
    match value {
        Buffered::Null => sum.missing(),
        Buffered::Bool(value) => sum.free_bool(*value),
        Buffered::Signed(value) => sum.free_number(*value as f64),
        Buffered::Unsigned(value) => sum.free_number(*value as f64),
        Buffered::Float(value) => sum.free_number(*value),
        Buffered::Text(value) => sum.free_text(value),
        Buffered::Bytes(value) => sum.bytes(value),
        Buffered::List(items) => {
            sum.free_list(items.len());
            items.iter().for_each(|item| fold_value(item, sum));
        }
        Buffered::Object(entries) => {
            let mut all = 0;
            for (key, value) in entries {
                all = Checksum::with_entry(all, key, |own| fold_value(value, own));
            }
            sum.free_object(all);
        }
    }
}

/// The parts of the checksum of a value of any type; null is [`Checksum::missing`].
impl Checksum {
    /// Adds true or false.
    pub fn free_bool(&mut self, value: bool) {
        self.word(8 + u64::from(value));
    }

    /// Adds a number.
    pub fn free_number(&mut self, value: f64) {
        self.word(2);
        self.float(value);
    }

    /// Adds text.
    pub fn free_text(&mut self, value: &str) {
        self.word(3);
        self.bytes(value.as_bytes());
    }

    /// Adds the length of a list, before its items.
    pub fn free_list(&mut self, length: usize) {
        self.word(4);
        self.word(length as u64);
    }

    /// Adds an object by the sum of its entries.
    pub fn free_object(&mut self, all: u64) {
        self.word(5);
        self.word(all);
    }

    /// The sum of entries with one more.
    pub fn with_entry(all: u64, key: &str, fold: impl FnOnce(&mut Self)) -> u64 {
        let mut own = Self::default();
        own.bytes(key.as_bytes());
        fold(&mut own);
        all.wrapping_add(own.value())
    }
}

/// Reads JSON texts of a library's object into a [`Checksum`] as [`Any`] does.
pub trait FoldTexts {
    /// Reads all texts. One that is not JSON counts as null: converting it reports it.
    fn fold_texts(&self, sum: &mut Checksum);
}

impl FoldTexts for str {
    fn fold_texts(&self, sum: &mut Checksum) {
        Any::parse(self).unwrap_or_default().fold(sum);
    }
}

impl FoldTexts for String {
    fn fold_texts(&self, sum: &mut Checksum) {
        self.as_str().fold_texts(sum);
    }
}

impl FoldTexts for Option<String> {
    fn fold_texts(&self, sum: &mut Checksum) {
        match self {
            Some(text) => {
                sum.word(1);
                text.fold_texts(sum);
            }
            None => sum.missing(),
        }
    }
}

impl FoldTexts for Vec<String> {
    fn fold_texts(&self, sum: &mut Checksum) {
        sum.word(self.len() as u64);
        self.iter().for_each(|text| text.fold_texts(sum));
    }
}

impl FoldTexts for std::collections::BTreeMap<String, String> {
    fn fold_texts(&self, sum: &mut Checksum) {
        sum.word(self.len() as u64);
        for (key, text) in self {
            key.fold(sum);
            text.fold_texts(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(text: &str) -> u64 {
        let mut sum = Checksum::default();
        text.fold_texts(&mut sum);
        sum.value()
    }

    #[test]
    fn a_value_comes_back_as_it_was_written() {
        for text in ["null", "true", "-7", "18446744073709551615", "-0.0", r#"{"b":[1,{}],"a":"x"}"#, "[[],[null]]"] {
            assert_eq!(Any::parse(text).unwrap().text(), text);
        }
    }

    #[test]
    fn the_checksum_is_that_of_the_value_whatever_the_order_of_keys_and_the_spelling_of_numbers() {
        assert_eq!(sum(r#"{"a":1,"b":2}"#), sum(r#"{"b":2.0,"a":1}"#));
        for (one, other) in [("1", "2"), ("true", "false"), ("[]", "{}"), ("[1]", "1"), (r#""1""#, "1"), ("null", "0")]
        {
            assert_ne!(sum(one), sum(other), "{one} {other}");
        }
    }

    #[test]
    fn text_that_is_not_json_is_refused() {
        for text in ["", "{", "1 2", "nan"] {
            assert!(Any::parse(text).is_err(), "{text}");
        }
    }
}
