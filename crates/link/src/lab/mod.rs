//! A lab: namespaces with hosts behind links, around one command.
//!
//! Three processes: the outer one, which the caller started; the lab's first process, whose death takes all others of its PID namespace
//! with it and whose first thread is the emulator; and the command.

pub mod backend;
mod mounts;
pub mod nested;
pub mod network;
mod pid1;
mod reaper;
pub mod spec;
mod supervisor;

pub use supervisor::run;

/// Where a lab keeps its socket, description and temporary files, seen from inside.
pub const HOME: &str = "/run/wirelab";
