//! The only error type of this crate: a link, trace or quantity that cannot be used, with a
//! one-sentence message.

/// Why a link text or trace cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadLink(pub String);

impl BadLink {
    /// An error with this message.
    pub fn new(sentence: impl Into<String>) -> BadLink {
        BadLink(sentence.into())
    }
}
