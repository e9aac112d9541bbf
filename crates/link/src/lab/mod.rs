//! A lab: namespaces with hosts behind links, around one command.
//!
//! It has three processes: the supervisor, which the caller started; the lab's first process (PID 1
//! of its PID namespace), whose main thread is the emulator and whose death ends all processes of
//! the lab; and the command.

pub mod backend;
mod mounts;
pub mod nested;
pub mod network;
mod pid1;
mod reaper;
pub mod spec;
mod supervisor;

pub use supervisor::run;

/// Directory of the lab's socket, description and temporary files, inside the lab.
pub const HOME: &str = "/run/wirelab";
