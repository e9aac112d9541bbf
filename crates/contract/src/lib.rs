//! What peers, servers and the control plane say to each other, and the format of the samples they leave.
//!
//! The words are explained in `docs/reference/contracts/peer.md`; the JSON Schemas beside it describe the same lines.
//! Every time is a whole number of nanoseconds of `CLOCK_MONOTONIC`.

mod command;
mod event;
mod line;
pub mod sample;

pub use command::{
    Application, Command, Identity, PackSource, Payload, Prepare, Role, Schedule, Server, Start,
};
pub use event::{Counts, Delivery, Described, Event, Fault, Prepared, Qos, Ready, Stopped};
pub use line::{Line, MAX_LINE, read_line};

/// The version of the peer contract these types speak.
pub const CONTRACT: u32 = 1;
