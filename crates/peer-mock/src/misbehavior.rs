//! Deliberate violations of the contract, for testing the control plane.

use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

use wirelab_peer::{Fault, Options};

/// A violation of the contract.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Misbehavior {
    None,
    /// Stops itself (SIGSTOP) before it is prepared.
    SilentPrepare,
    /// Stops itself (SIGSTOP) at its third message.
    Silent,
    /// Stops itself (SIGSTOP) at `stop`.
    SilentStop,
    /// Writes a line that is not JSON.
    BadJson,
    /// Writes an unknown event.
    UnknownEvent,
    /// Corrupts every tenth message, so that it is not in the corpus.
    WrongContent,
    /// Aborts at its third message.
    Crash,
    /// Exits at its third message, with code 0.
    Quit,
}

/// When a violation may happen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Prepare,
    Message(u64),
    Stop,
}

/// Index of the message at which it happens.
const THIRD: u64 = 2;

impl Misbehavior {
    /// Reads the option `lie`.
    ///
    /// # Errors
    /// A fatal fault that lists the values.
    pub fn new(options: &Options) -> Result<Self, Fault> {
        Ok(match options.text("lie") {
            "none" => Self::None,
            "silent-prepare" => Self::SilentPrepare,
            "silent" => Self::Silent,
            "silent-stop" => Self::SilentStop,
            "bad-json" => Self::BadJson,
            "unknown-event" => Self::UnknownEvent,
            "wrong-content" => Self::WrongContent,
            "crash" => Self::Crash,
            "quit" => Self::Quit,
            other => {
                let known = "none, silent-prepare, silent, silent-stop, bad-json, unknown-event, wrong-content, crash, quit";
                return Err(Fault::fatal(
                    "option lie",
                    format!("{other:?} is not one of {known}"),
                ));
            }
        })
    }

    /// Commits the violation if this is its moment.
    pub fn apply(self, moment: Moment) {
        match (self, moment) {
            (Self::SilentPrepare, Moment::Prepare)
            | (Self::Silent, Moment::Message(THIRD))
            | (Self::SilentStop, Moment::Stop) => freeze(),
            (Self::BadJson, Moment::Message(THIRD)) => say("{\"event\": this is no JSON"),
            (Self::UnknownEvent, Moment::Message(THIRD)) => say("{\"event\":\"triumph\"}"),
            (Self::Crash, Moment::Message(THIRD)) => std::process::abort(),
            (Self::Quit, Moment::Message(THIRD)) => std::process::exit(0),
            _ => {}
        }
    }

    /// Corrupts the message if that is the violation.
    pub fn corrupt(self, number: u64, message: &mut [u8]) {
        if self == Self::WrongContent && number % 10 == THIRD {
            message.iter_mut().for_each(|byte| *byte ^= 0xff);
        }
    }
}

/// Stops the whole process with SIGSTOP: it reads and writes nothing, and only SIGKILL ends it.
fn freeze() {
    let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGSTOP);
}

/// Standard output, duplicated because the peer redirects it.
static EVENTS: OnceLock<File> = OnceLock::new();

/// Duplicates standard output before the peer redirects it.
pub fn keep_output() {
    if let Ok(events) = nix::unistd::dup(std::io::stdout()) {
        let _ = EVENTS.set(events.into());
    }
}

fn say(line: &str) {
    if let Some(mut events) = EVENTS.get() {
        let _ = writeln!(events, "{line}");
    }
}
