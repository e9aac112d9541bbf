//! A lab: namespaces with hosts behind links, around one command.
//!
//! It has three processes: the supervisor, which the caller started; the lab's first process (PID 1
//! of its PID namespace), whose main thread is the emulator and whose death ends all processes of
//! the lab; and the command.

pub mod backend;
mod command;
mod mounts;
pub mod nested;
pub mod network;
mod pid1;
mod reaper;
mod setup;
pub mod spec;
mod supervisor;

use crate::failure::Failure;
use crate::sys::process::Namespaces;
use spec::LabSpec;

/// Directory of the lab's socket, description and temporary files, inside the lab.
pub const HOME: &str = "/run/wirelab";

/// Run `command` in a lab. Returns its exit code.
pub fn run(spec: &LabSpec, command: &[String]) -> Result<u8, Failure> {
    spec.backend.backend().accepts(spec)?;
    supervisor::request_realtime(spec.realtime)?;
    supervisor::supervise(Namespaces::OfALab, || pid1::run(spec, command))
}
