//! What can go wrong between a program and a pack.

use std::path::PathBuf;

/// A pack that cannot be used, or that refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is not a shared library, or lacks a function of the ABI.
    #[error("codec pack {}: {why}", path.display())]
    Load {
        /// The pack.
        path: PathBuf,
        /// What the loader said.
        why: String,
    },
    /// The pack speaks another version of the ABI.
    #[error("codec pack {}: speaks ABI {found}, this program {}; build it again", path.display(), crate::abi::VERSION)]
    Version {
        /// The pack.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The pack's own sentence.
    #[error("{0}")]
    Pack(String),
}
