//! Keys of maps that a format cannot hold.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter};

use crate::codec::Failure;

/// Visits the keys of a message while it is written as JSON.
struct Keys {
    in_key: bool,
}

impl Formatter for Keys {
    fn begin_object_key<W: ?Sized + Write>(&mut self, _out: &mut W, _first: bool) -> io::Result<()> {
        self.in_key = true;
        Ok(())
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _out: &mut W) -> io::Result<()> {
        self.in_key = false;
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, _out: &mut W, escape: CharEscape) -> io::Result<()> {
        if self.in_key && matches!(escape, CharEscape::AsciiControl(0)) {
            return Err(io::Error::other("a key has a NUL in it, which ends a key"));
        }
        Ok(())
    }
}

/// Refuses a message with a NUL in a key, for formats whose keys end at the first NUL.
///
/// # Errors
/// Names the fault.
pub fn refuse_nul_in_keys<T: Serialize>(message: &T, format: &str) -> Result<(), Failure> {
    let mut writer = serde_json::Serializer::with_formatter(io::sink(), Keys { in_key: false });
    message.serialize(&mut writer).map_err(|error| format!("{error} in {format}"))?;
    Ok(())
}
