//! Ways to break the contract on purpose, so that the control plane can be tested against peers that do.

use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

use wirelab_peer::{Fault, Options};

/// A way to break the contract.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Misbehavior {
    None,
    /// Stops itself before it is prepared: no answer to anything any more.
    SilentPrepare,
    /// Stops itself at its third message.
    Silent,
    /// Never leaves.
    SilentStop,
    /// Writes a line that is not JSON.
    BadJson,
    /// Writes an event that does not exist.
    UnknownEvent,
    /// Every tenth message arrives as one that is not in the corpus.
    WrongContent,
    /// Dies at its third message without a word.
    Crash,
    /// Ends at its third message as if it had been told to, with exit code 0.
    Quit,
}

/// When a lie may be told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Prepare,
    Message(u64),
    Stop,
}

/// The message at which a lie is told.
const THIRD: u64 = 2;

impl Misbehavior {
    /// Reads the option `lie`.
    ///
    /// # Errors
    /// A fatal fault that lists the lies.
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

    /// Tells the lie if this is its moment.
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

    /// Makes the message another one, where that is the lie.
    pub fn corrupt(self, number: u64, message: &mut [u8]) {
        if self == Self::WrongContent && number % 10 == THIRD {
            message.iter_mut().for_each(|byte| *byte ^= 0xff);
        }
    }
}

/// Stops the whole process, as SIGSTOP does: nothing is read or written any more, and only SIGKILL ends it.
fn freeze() {
    let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGSTOP);
}

/// Where events go: the peer takes standard output for itself, so the liar keeps a way there of its own.
static EVENTS: OnceLock<File> = OnceLock::new();

/// Remembers standard output, before the peer takes it.
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
