//! What a pack says about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::abi::Phase;

/// The answer of `wl_describe`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Description {
    /// Version of the ABI.
    pub abi: u32,
    /// Language of the libraries.
    pub language: String,
    /// Hash of the schema it was generated from.
    pub schema: String,
    /// Compiler and version.
    pub toolchain: String,
    /// The codecs in it.
    pub codecs: Vec<CodecInfo>,
}

/// One library's implementation of a format.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CodecInfo {
    /// `format/library`.
    pub name: String,
    /// The format.
    pub format: String,
    /// The library.
    pub library: String,
    /// Its version.
    pub version: String,
    /// The phases it has.
    pub phases: Vec<Phase>,
    /// Settings that matter.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// What the format cannot carry for this schema.
    #[serde(default)]
    pub losses: Vec<String>,
    /// Whether a message's end can be found without its length.
    #[serde(default)]
    pub self_delimiting: bool,
}
