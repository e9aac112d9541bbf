//! The error type of serde formats that are implemented here.

use std::fmt::{self, Display, Formatter};

use serde::{de, ser};

/// Why a value or a message is rejected. Not a `String`, so that a result without a value, as every
/// field returns it, fits into registers.
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

/// An error with this reason.
pub fn broken(why: impl Display) -> Error {
    Error(why.to_string().into())
}

/// The error for serde types that schemas do not have.
///
/// # Errors
/// Always.
pub fn unused<T>() -> Result<T, Error> {
    Err(broken("schemas have no such type"))
}
