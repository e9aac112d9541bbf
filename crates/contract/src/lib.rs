//! The peer contract: commands, events, and the format of the sample file.
//!
//! `docs/contracts/peer.md` explains the contract. The JSON Schemas in the same directory are
//! generated from the types of this crate. Every time is an integer number of nanoseconds of
//! `CLOCK_MONOTONIC`.

mod command;
mod event;
mod line;
pub mod sample;
#[cfg(test)]
mod schema;
mod script;

pub use command::{Command, Identity, PackSource, Payload, Prepare, Role, Schedule, Server, Start};
pub use event::{Counts, Delivery, Described, Event, Fault, Prepared, Qos, Ready, Stopped};
pub use line::{Line, MAX_LINE, read_line};
pub use script::{Effect, Method, Rule, Script};

/// The version of the peer contract that these types implement.
pub const CONTRACT: u32 = 1;
