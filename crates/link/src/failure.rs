//! The error type of commands, with their exit codes.

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An unusable specification, link text or trace.
    #[error("{0}")]
    BadInput(String),
    /// The lab could not be created.
    #[error("{0}")]
    NoLab(String),
    /// A check or measurement failed.
    #[error("{0}")]
    Failed(String),
}

impl Failure {
    /// 3 for bad input, 125 if there is no lab, 2 for a failed measurement.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::BadInput(_) => 3,
            Failure::NoLab(_) => 125,
            Failure::Failed(_) => 2,
        }
    }
}

impl From<wirelab_link_model::BadLink> for Failure {
    fn from(error: wirelab_link_model::BadLink) -> Failure {
        Failure::BadInput(error.to_string())
    }
}

/// Convert an error to [`Failure::NoLab`], prefixed by what was attempted.
pub fn no_lab<E: std::fmt::Display>(what: &str) -> impl FnOnce(E) -> Failure + use<'_, E> {
    move |error| Failure::NoLab(format!("{what}: {error}"))
}
