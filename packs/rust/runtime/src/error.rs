//! The error of serde formats whose code is ours.

use std::fmt::{self, Display, Formatter};

use serde::{de, ser};

/// Why a value or a message is refused: a sentence. No `String`, so that a result without a value, which every field of a
/// message gives, comes back in registers.
#[derive(Debug)]
pub struct Error(Box<str>);

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl ser::Error for Error {
    fn custom<T: Display>(why: T) -> Self {
        broken(why)
    }
}

impl de::Error for Error {
    fn custom<T: Display>(why: T) -> Self {
        broken(why)
    }
}

/// The refusal with this reason.
pub fn broken(why: impl Display) -> Error {
    Error(why.to_string().into())
}

/// The refusal of what serde has and schemas have not.
///
/// # Errors
/// Always.
pub fn unused<T>() -> Result<T, Error> {
    Err(broken("schemas have no such type"))
}
