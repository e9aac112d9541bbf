//! Reading and writing records of very many fields. Inlined into one function, hundreds of fields compile for
//! minutes and leave the instruction cache; here each kind of field is one function.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct};

/// One field's value.
///
/// # Errors
/// Those of the value.
#[inline(never)]
pub fn read_value<'de, A: MapAccess<'de>, T: Deserialize<'de>>(map: &mut A) -> Result<T, A::Error> {
    map.next_value()
}

/// The value of the field at `index`, in formats without keys.
///
/// # Errors
/// Those of the value, and the end of the message.
#[inline(never)]
pub fn read_item<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(items: &mut A, index: usize) -> Result<T, A::Error> {
    items.next_element()?.ok_or_else(|| Error::invalid_length(index, &"every field of the record"))
}

/// One field.
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

/// A key on its way to the index of its field.
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

/// Which of a record's fields have been read.
pub struct SeenFields<const FIELDS: usize>([bool; FIELDS]);

impl<const FIELDS: usize> SeenFields<FIELDS> {
    /// None yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self([false; FIELDS])
    }

    /// Note a field; an index beyond the record is an unknown key and passes.
    ///
    /// # Errors
    /// A field that was there before.
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

    /// Check that the fields that must be there were.
    ///
    /// # Errors
    /// The first that was not.
    pub fn check<E: Error>(&self, needed: &[usize], keys: &'static [&'static str]) -> Result<(), E> {
        match needed.iter().find(|index| !self.0[**index]) {
            Some(missing) => Err(E::missing_field(keys[*missing])),
            None => Ok(()),
        }
    }
}
