//! The one error of this crate: a link, trace or quantity that cannot be used, said in one sentence.

/// Why a link text or trace cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadLink(pub String);

impl BadLink {
    /// An error from any sentence.
    pub fn new(sentence: impl Into<String>) -> BadLink {
        BadLink(sentence.into())
    }
}
