//! The description of a pack.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::abi::Phase;

/// The result of `wl_describe`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Description {
    /// Version of the ABI.
    pub abi: u32,
    /// Language of the libraries.
    pub language: String,
    /// Hash of the schema from which it was generated.
    pub schema: String,
    /// Compiler and version.
    pub toolchain: String,
    /// The codecs of the pack.
    pub codecs: Vec<CodecInfo>,
}

/// A format implemented by a library.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CodecInfo {
    /// `format/library`.
    pub name: String,
    /// The format.
    pub format: String,
    /// Name of the library.
    pub library: String,
    /// Its version.
    pub version: String,
    /// Phases that it supports.
    pub phases: Vec<Phase>,
    /// Settings that matter.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Information that the format cannot represent for this schema.
    #[serde(default)]
    pub losses: Vec<String>,
    /// Whether the end of a message can be found without its length.
    #[serde(default)]
    pub self_delimiting: bool,
}
