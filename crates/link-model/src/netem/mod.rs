//! Conversion between link texts and the kernel's netem (tc-netem(8)).
//!
//! The two models differ. Every conversion lists what it could not express.

mod chain;
mod import;
mod options;
mod parser;
mod plan;
mod shapers;
mod statements;
#[cfg(test)]
mod tests;
mod units;
mod variables;

pub use import::{Imported, has_tc_commands, parse};
pub(crate) use plan::format_percent;
pub use plan::{NetemArguments, Plan, plan};
pub(crate) use units::format_ms;

/// netem counts the Ethernet header as part of a packet; link texts count layer-3 bytes.
const ETHERNET_HEADER: i64 = 14;
