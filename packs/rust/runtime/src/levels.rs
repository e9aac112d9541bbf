//! The bound on records within themselves: a decoder of damaged bytes must not exhaust the stack.

use std::cell::Cell;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::optional;

/// Levels of recursive records: the bound of serde_json. Payloads have 64 levels at most.
const MAX_LEVELS: u32 = 128;

thread_local! {
    static LEVELS: Cell<u32> = const { Cell::new(0) };
}

/// One level, until it is dropped.
pub struct Level(());

impl Level {
    /// Enters a record inside itself.
    ///
    /// # Errors
    /// More than 128 levels.
    #[inline]
    pub fn enter() -> Result<Self, &'static str> {
        LEVELS.with(|levels| {
            if levels.get() == MAX_LEVELS {
                return Err("nested too deeply");
            }
            levels.set(levels.get() + 1);
            Ok(Self(()))
        })
    }
}

impl Drop for Level {
    #[inline]
    fn drop(&mut self) {
        LEVELS.with(|levels| levels.set(levels.get() - 1));
    }
}

/// Use as `#[serde(deserialize_with = "...::deeper")]` on a field that holds its own record again.
///
/// # Errors
/// Those of the value, and too many levels.
pub fn deeper<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let _level = Level::enter().map_err(D::Error::custom)?;
    T::deserialize(deserializer)
}

/// [`optional::present`] on a field that holds its own record again.
///
/// # Errors
/// Those of the value, and too many levels.
pub fn present<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let _level = Level::enter().map_err(D::Error::custom)?;
    optional::present(deserializer)
}

/// A value read by [`deeper`], for places without attributes.
pub struct Deeper<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Deeper<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deeper(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Node {
        #[serde(default, deserialize_with = "deeper")]
        next: Option<Box<Node>>,
    }

    fn read(levels: usize) -> Result<Node, serde_json::Error> {
        let text = "{\"next\":".repeat(levels) + "null" + &"}".repeat(levels);
        let mut reader = serde_json::Deserializer::from_str(&text);
        reader.disable_recursion_limit();
        Node::deserialize(&mut reader)
    }

    #[test]
    fn a_hundred_levels_are_read_and_ten_thousand_refused() {
        assert!(read(100).unwrap().next.is_some());
        assert!(read(10_000).err().unwrap().to_string().contains("nested too deeply"));
        assert!(read(100).is_ok());
    }
}
