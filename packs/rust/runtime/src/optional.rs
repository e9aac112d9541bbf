//! A key that may be absent and a value that may be null, told apart: `None`, `Some(None)`, `Some(Some(x))`.

use serde::{Deserialize, Deserializer};

/// Use as `#[serde(default, deserialize_with = "...::present")]`: a key that is there is `Some`, null or not.
///
/// # Errors
/// Those of the value's own deserialization.
pub fn present<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}
