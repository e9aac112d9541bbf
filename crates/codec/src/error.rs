//! Errors between a program and a pack.

use std::path::PathBuf;

/// A pack that cannot be used, or an error of the pack.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is not a shared library, or lacks a function of the ABI.
    #[error("codec pack {}: {why}", path.display())]
    Load {
        /// The pack.
        path: PathBuf,
        /// The loader's error.
        why: String,
    },
    /// The pack has another version of the ABI.
    #[error("codec pack {}: has ABI {found}, this program expects {}: rebuild the pack", path.display(), crate::abi::VERSION)]
    Version {
        /// The pack.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The pack's error message.
    #[error("{0}")]
    Pack(String),
}
