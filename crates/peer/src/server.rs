//! The part that built-in servers share: command line, `ready` line and shutdown.

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use wirelab_contract::Ready;

/// Parses the command line.
///
/// # Errors
/// The exit code after `--help` (0) or a usage error (3). The message has been printed.
pub fn arguments<A: clap::Parser>() -> Result<A, ExitCode> {
    arguments_of(A::command())
}

/// [`arguments`] for a command line that several programs share under different names.
///
/// # Errors
/// Those of [`arguments`].
pub fn arguments_of<A: clap::FromArgMatches>(command: clap::Command) -> Result<A, ExitCode> {
    let parsed = command
        .try_get_matches()
        .and_then(|matches| A::from_arg_matches(&matches));
    parsed.map_err(|error| {
        // If even this cannot be printed, nothing else can be done.
        let _ = error.print();
        ExitCode::from(if error.use_stderr() { 3 } else { 0 })
    })
}

/// Prints the `ready` line, then blocks until SIGTERM, SIGINT or the end of standard input.
///
/// # Errors
/// If signals cannot be caught.
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

/// Prints one sentence to standard error and returns the exit code for bad input.
pub fn refuse(what: &str, why: impl std::fmt::Display) -> ExitCode {
    eprintln!("{what}: {why}");
    ExitCode::from(3)
}
