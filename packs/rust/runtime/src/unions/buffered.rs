//! A value read before it is known which alternative it is.

use std::fmt;

use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

/// Levels of lists and objects within each other: the bound of serde_json.
const MAX_DEPTH: u32 = 128;

/// A value of any type, as a format that describes itself holds it.
#[derive(Debug)]
pub enum Buffered {
    /// null
    Null,
    /// true or false
    Bool(bool),
    /// an integer that was read with a sign
    Signed(i64),
    /// an integer that was read without a sign
    Unsigned(u64),
    /// a floating-point number
    Float(f64),
    /// text
    Text(String),
    /// bytes
    Bytes(Vec<u8>),
    /// a list
    List(Vec<Buffered>),
    /// an object, with its keys in order
    Object(Vec<(String, Buffered)>),
}

impl Buffered {
    /// Reads a value of any type.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Buffering { levels: MAX_DEPTH }.deserialize(deserializer)
    }

    /// Reads all items of a list.
    ///
    /// # Errors
    /// Those of the items.
    pub fn items<'de, A: SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
        Buffering { levels: MAX_DEPTH }.visit_seq(items)
    }

    /// Reads all entries of an object.
    ///
    /// # Errors
    /// Those of the entries.
    pub fn entries<'de, A: MapAccess<'de>>(entries: A) -> Result<Self, A::Error> {
        Buffering { levels: MAX_DEPTH }.visit_map(entries)
    }

    /// Whether an object has no other keys than those known, and all that are needed.
    pub fn has_keys(&self, known: &[&str], needed: &[&str]) -> bool {
        let Self::Object(entries) = self else {
            return false;
        };
        entries.iter().all(|(key, _)| known.contains(&key.as_str()))
            && needed.iter().all(|needed| entries.iter().any(|(key, _)| key == needed))
    }
}

#[derive(Clone, Copy)]
struct Buffering {
    levels: u32,
}

impl Buffering {
    fn inside<E: de::Error>(self) -> Result<Self, E> {
        let levels = self.levels.checked_sub(1).ok_or_else(|| E::custom("nested too deeply"))?;
        Ok(Self { levels })
    }
}

impl<'de> DeserializeSeed<'de> for Buffering {
    type Value = Buffered;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Buffered, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! visit {
    ($($function:ident $kind:ty => $variant:expr;)*) => {$(
        fn $function<E: de::Error>(self, value: $kind) -> Result<Buffered, E> {
            Ok($variant(value))
        }
    )*};
}

impl<'de> Visitor<'de> for Buffering {
    type Value = Buffered;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    visit! {
        visit_bool bool => Buffered::Bool;
        visit_i64 i64 => Buffered::Signed;
        visit_u64 u64 => Buffered::Unsigned;
        visit_f64 f64 => Buffered::Float;
        visit_string String => Buffered::Text;
        visit_byte_buf Vec<u8> => Buffered::Bytes;
    }
    fn visit_str<E: de::Error>(self, value: &str) -> Result<Buffered, E> {
        Ok(Buffered::Text(value.to_owned()))
    }
    fn visit_bytes<E: de::Error>(self, value: &[u8]) -> Result<Buffered, E> {
        Ok(Buffered::Bytes(value.to_vec()))
    }
    fn visit_none<E: de::Error>(self) -> Result<Buffered, E> {
        Ok(Buffered::Null)
    }
    fn visit_unit<E: de::Error>(self) -> Result<Buffered, E> {
        Ok(Buffered::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Buffered, D::Error> {
        deserializer.deserialize_any(self)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Buffered, A::Error> {
        let inside = self.inside()?;
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(inside)? {
            all.push(item);
        }
        Ok(Buffered::List(all))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Buffered, A::Error> {
        let inside = self.inside()?;
        let mut all = Vec::new();
        while let Some(key) = entries.next_key()? {
            all.push((key, entries.next_value_seed(inside)?));
        }
        Ok(Buffered::Object(all))
    }
}

impl<'de> IntoDeserializer<'de> for &Buffered {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for &Buffered {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Buffered::Null => visitor.visit_unit(),
            Buffered::Bool(value) => visitor.visit_bool(*value),
            Buffered::Signed(value) => visitor.visit_i64(*value),
            Buffered::Unsigned(value) => visitor.visit_u64(*value),
            Buffered::Float(value) => visitor.visit_f64(*value),
            Buffered::Text(value) => visitor.visit_str(value),
            Buffered::Bytes(value) => visitor.visit_bytes(value),
            Buffered::List(items) => visitor.visit_seq(SeqDeserializer::new(items.iter())),
            Buffered::Object(entries) => {
                let pairs = entries.iter().map(|(key, value)| (key.as_str(), value));
                visitor.visit_map(MapDeserializer::new(pairs))
            }
        }
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Buffered::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::{Base64, Timestamp, Unsigned};

    fn buffered(text: &str) -> Result<Buffered, serde_json::Error> {
        Buffering { levels: MAX_DEPTH }.deserialize(&mut serde_json::Deserializer::from_str(text))
    }

    #[test]
    fn a_value_is_read_from_memory_as_from_its_text() {
        let all = buffered(r#"[null,true,-1,18446744073709551615,0.5,"a",{"k":[]}]"#).unwrap();
        type Read = (Option<bool>, bool, i32, Unsigned, f32, String, std::collections::BTreeMap<String, Vec<u8>>);
        let read = Read::deserialize(&all).unwrap();
        assert_eq!((read.0, read.1, read.2, read.3, read.4), (None, true, -1, Unsigned(u64::MAX), 0.5));
        assert_eq!((read.5.as_str(), read.6["k"].len()), ("a", 0));
    }

    #[test]
    fn timestamps_and_bytes_are_read_as_text_and_as_what_binary_formats_hold() {
        assert_eq!(Timestamp::deserialize(&Buffered::Signed(-1)).unwrap().nanos(), -1);
        assert_eq!(
            Timestamp::deserialize(&Buffered::Text("1970-01-01T00:00:01Z".into())).unwrap().nanos(),
            1_000_000_000
        );
        assert_eq!(Base64::deserialize(&Buffered::Bytes(vec![1, 2])).unwrap().0, [1, 2]);
        assert_eq!(Base64::deserialize(&Buffered::Text("AQI=".into())).unwrap().0, [1, 2]);
    }

    #[test]
    fn an_object_has_all_needed_keys_and_no_unknown_one() {
        let object = buffered(r#"{"a":1,"b":2}"#).unwrap();
        assert!(object.has_keys(&["a", "b", "c"], &["a"]));
        assert!(!object.has_keys(&["a", "b", "c"], &["c"]));
        assert!(!object.has_keys(&["a"], &["a"]));
        assert!(!buffered("[1]").unwrap().has_keys(&[], &[]));
    }

    #[test]
    fn nesting_has_a_bound() {
        let text = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(buffered(&text(127)).is_ok());
        let items = std::iter::repeat_n(1, 1);
        let seq = SeqDeserializer::<_, Error>::new(items);
        assert!(Buffering { levels: 0 }.visit_seq(seq).is_err());
    }
}
