//! What built-in servers share: their command line, the `ready` line, and the moment to end.

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use wirelab_contract::Ready;

/// The command line of a program of the bench.
///
/// # Errors
/// The exit code to end with, when help was asked for (0) or the line is wrong (3); both have been told.
pub fn arguments<A: clap::Parser>() -> Result<A, ExitCode> {
    arguments_of(A::command())
}

/// [`arguments`] of a command line that several programs share, each under its own name.
///
/// # Errors
/// Those of [`arguments`].
pub fn arguments_of<A: clap::FromArgMatches>(command: clap::Command) -> Result<A, ExitCode> {
    let parsed = command
        .try_get_matches()
        .and_then(|matches| A::from_arg_matches(&matches));
    parsed.map_err(|error| {
        // Nothing is left to do when even this cannot be told.
        let _ = error.print();
        ExitCode::from(if error.use_stderr() { 3 } else { 0 })
    })
}

/// Tells that the server listens, then blocks until SIGTERM, SIGINT or the end of standard input.
///
/// # Errors
/// When signals cannot be caught.
pub fn serve_until_stopped(ready: &Ready) -> io::Result<()> {
    let (end, ended) = mpsc::channel();
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    let signalled = end.clone();
    thread::spawn(move || {
        signals.forever().next();
        let _ = signalled.send(());
    });
    let mut out = io::stdout();
    writeln!(out, "{}", serde_json::to_string(ready)?)?;
    out.flush()?;
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock().by_ref(), &mut io::sink());
        let _ = end.send(());
    });
    let _ = ended.recv();
    Ok(())
}

/// One sentence on standard error, and the exit code of bad input.
pub fn refuse(what: &str, why: impl std::fmt::Display) -> ExitCode {
    eprintln!("{what}: {why}");
    ExitCode::from(3)
}
