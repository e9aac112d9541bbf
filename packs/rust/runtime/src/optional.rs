//! Distinguishes an absent key from a null value: `None`, `Some(None)`, `Some(Some(x))`.

use serde::{Deserialize, Deserializer};

use crate::any::Any;
use crate::codec::{flattens_options, needs_every_field, nests_options};

/// Use as `#[serde(default, deserialize_with = "...::present")]`: a present key is `Some`, null or
/// not.
///
/// # Errors
/// Those of the value's own deserialization.
pub fn present<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    if nests_options::<D>() {
        return Option::<Option<T>>::deserialize(deserializer);
    }
    let value = Option::<T>::deserialize(deserializer)?;
    Ok(if flattens_options::<D>() && value.is_none() { None } else { Some(value) })
}

/// As [`present`], for a field of any type: null is one of its values.
///
/// # Errors
/// Those of the value's own deserialization.
pub fn any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Any>, D::Error> {
    if needs_every_field::<D>() {
        return Option::<Any>::deserialize(deserializer);
    }
    Any::deserialize(deserializer).map(Some)
}

/// A field read by [`any`], for places without attributes.
pub struct PresentAny(pub Option<Any>);

impl<'de> Deserialize<'de> for PresentAny {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        any(deserializer).map(Self)
    }
}

/// A field read by [`present`], for places without attributes.
pub struct Present<T>(pub Option<Option<T>>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Present<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        present(deserializer).map(Self)
    }
}
