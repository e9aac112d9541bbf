//! Unions and tuples: plain values in formats that describe themselves, an alternative's number or
//! name where the schema does.

mod buffered;

use std::fmt::{self, Display};

use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::codec::{flattens_options, is_avro, is_xml, nests_options};
use crate::timestamp::Timestamp;

pub use buffered::Buffered;

/// Whether a format writes which alternative a value is. Others recognise it by the value.
#[inline(always)]
pub fn tags_unions<S>() -> bool {
    is_avro::<S>() || nests_options::<S>() || flattens_options::<S>() || is_xml::<S>()
}

/// Writes the alternative with this number and these names: its own, and that of its type in Avro.
///
/// # Errors
/// Those of the serializer.
#[inline(always)]
pub fn write_alternative<S: Serializer, T: Serialize + ?Sized>(
    serializer: S,
    index: u32,
    names: &(&'static str, &'static str),
    value: &T,
) -> Result<S::Ok, S::Error> {
    if tags_unions::<S>() {
        let name = if is_avro::<S>() { names.1 } else { names.0 };
        return serializer.serialize_newtype_variant("", index, name, value);
    }
    value.serialize(serializer)
}

/// Writes a timestamp as [`write_alternative`] does, and as text where only the value tells what it
/// is: its number would be an integer.
///
/// # Errors
/// Those of the serializer.
#[inline(always)]
pub fn write_timestamp<S: Serializer>(
    serializer: S,
    index: u32,
    names: &(&'static str, &'static str),
    value: &Timestamp,
) -> Result<S::Ok, S::Error> {
    if tags_unions::<S>() {
        return write_alternative(serializer, index, names, value);
    }
    serializer.collect_str(value)
}

/// Reads which alternative follows, by its number or one of its names.
pub struct Alternative(pub &'static [(&'static str, &'static str)]);

impl<'de> DeserializeSeed<'de> for Alternative {
    type Value = u64;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Alternative {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an alternative's number or name")
    }

    #[inline]
    fn visit_u64<E: de::Error>(self, index: u64) -> Result<u64, E> {
        Ok(index)
    }

    #[inline]
    fn visit_str<E: de::Error>(self, name: &str) -> Result<u64, E> {
        let found = self.0.iter().position(|names| name == names.0 || name == names.1);
        found.map(|index| index as u64).ok_or_else(|| no_alternative(name))
    }
}

/// The error of a value that no alternative takes.
pub fn no_alternative<E: de::Error>(found: impl Display) -> E {
    E::custom(format_args!("the union has no alternative {found}"))
}

/// The error of an integer outside its alternative's type.
pub fn out_of_range<E: de::Error>(value: impl Display) -> E {
    E::custom(format_args!("{value} is outside the range of the union's integers"))
}

/// Reads the field with this name, which comes next.
///
/// # Errors
/// Those of the value, and another name or none.
#[inline]
pub fn read_named<'de, A: MapAccess<'de>, T: Deserialize<'de>>(
    entries: &mut A,
    name: &'static str,
) -> Result<T, A::Error> {
    match entries.next_key_seed(Named(name))? {
        Some(()) => entries.next_value(),
        None => Err(de::Error::missing_field(name)),
    }
}

struct Named(&'static str);

impl<'de> DeserializeSeed<'de> for Named {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Named {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<(), E> {
        if name == self.0 { Ok(()) } else { Err(E::invalid_value(de::Unexpected::Str(name), &self)) }
    }
}

/// Rejects items after the last one of a tuple.
///
/// # Errors
/// Reports that there are more than `length`.
#[inline]
pub fn end_of_items<'de, A: SeqAccess<'de>>(mut items: A, length: usize) -> Result<(), A::Error> {
    match items.next_element::<IgnoredAny>()? {
        None => Ok(()),
        Some(_) => Err(de::Error::invalid_length(length + 1, &"a tuple's length")),
    }
}

/// Rejects entries after the last item of a tuple.
///
/// # Errors
/// Reports that there are more than `length`.
#[inline]
pub fn end_of_entries<'de, A: MapAccess<'de>>(mut entries: A, length: usize) -> Result<(), A::Error> {
    match entries.next_key::<IgnoredAny>()? {
        None => Ok(()),
        Some(_) => Err(de::Error::invalid_length(length + 1, &"a tuple's length")),
    }
}
