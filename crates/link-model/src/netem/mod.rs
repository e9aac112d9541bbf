//! Links as the kernel's netem takes them (tc-netem(8)): its parameters as a link text, and a link as its commands.
//!
//! The two differ in more than spelling, and what differs is said each time.

mod parser;
mod plan;
#[cfg(test)]
mod tests;
mod units;

pub use parser::{Imported, parse};
pub use plan::{Plan, plan};

/// netem counts the Ethernet header as part of a packet, links here do not.
const ETHERNET_HEADER: i64 = 14;
