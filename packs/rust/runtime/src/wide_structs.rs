//! Reading and writing records with very many fields. Inlined into one function, hundreds of fields
//! compile for minutes and exceed the instruction cache; here each kind of field is one function.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct};

/// Reads the value of one field.
///
/// # Errors
/// Those of the value.
#[inline(never)]
pub fn read_value<'de, A: MapAccess<'de>, T: Deserialize<'de>>(map: &mut A) -> Result<T, A::Error> {
    map.next_value()
}

/// Reads the value of the field at `index`, in formats without keys.
///
/// # Errors
/// Those of the value, or a premature end of the message.
#[inline(never)]
pub fn read_item<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(items: &mut A, index: usize) -> Result<T, A::Error> {
    items.next_element()?.ok_or_else(|| Error::invalid_length(index, &"every field of the record"))
}

/// Writes one field.
///
/// # Errors
/// Those of the value.
#[inline(never)]
pub fn write_field<S: SerializeStruct, T: Serialize>(
    out: &mut S,
    key: &'static str,
    value: &T,
) -> Result<(), S::Error> {
    out.serialize_field(key, value)
}

/// Deserializes a key to the index of its field.
pub struct Key(pub fn(&str) -> usize);

impl<'de> DeserializeSeed<'de> for Key {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<usize, E> {
        Ok((self.0)(key))
    }

    fn visit_bytes<E: Error>(self, key: &[u8]) -> Result<usize, E> {
        Ok(std::str::from_utf8(key).map_or(usize::MAX, self.0))
    }
}

/// The fields of a record that have been read.
pub struct SeenFields<const FIELDS: usize>([bool; FIELDS]);

impl<const FIELDS: usize> SeenFields<FIELDS> {
    /// No fields yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self([false; FIELDS])
    }

    /// Records a field; an index beyond the record is an unknown key and is ignored.
    ///
    /// # Errors
    /// A duplicate field.
    #[inline]
    pub fn add<E: Error>(&mut self, index: usize, keys: &'static [&'static str]) -> Result<(), E> {
        match self.0.get_mut(index) {
            Some(seen) if *seen => Err(E::duplicate_field(keys[index])),
            Some(seen) => {
                *seen = true;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Checks that all required fields were read.
    ///
    /// # Errors
    /// The first missing field.
    pub fn check<E: Error>(&self, needed: &[usize], keys: &'static [&'static str]) -> Result<(), E> {
        match needed.iter().find(|index| !self.0[**index]) {
            Some(missing) => Err(E::missing_field(keys[*missing])),
            None => Ok(()),
        }
    }
}
