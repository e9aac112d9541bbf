//! Waiting for the command and everything orphaned in the lab, and passing signals on to the command.

use std::io;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::Pid;

use super::supervisor::ENDING;
use crate::sys::process;

/// How long a command may take to end after it was told to.
const GRACE: Duration = Duration::from_secs(5);
/// A signal passed on so soon after the same one came directly was sent to the whole process group: the command has it.
const SAME: Duration = Duration::from_millis(500);

/// Watch the command; when it has ended, `stop` is called and the exit code comes out.
pub fn start(child: Child, stop: impl Fn() + Clone + Send + 'static) -> io::Result<Receiver<u8>> {
    let command = Pid::from_raw(child.id() as i32);
    let (result, ended) = channel();
    let late = stop.clone();
    let code = result.clone();
    std::thread::Builder::new()
        .name("reaper".into())
        .spawn(move || {
            let status = reap(command);
            // Sent before the stop, so that the code is there when the emulator has ended.
            let _ = code.send(status);
            stop();
        })?;
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            let signal = pass_signals_on(command);
            std::thread::sleep(GRACE);
            let _ = result.send(128 + signal as u8);
            late();
        })?;
    Ok(ended)
}

/// Collect every process that ends in the lab, until the command does. Gives its exit code, or 128 + the signal.
fn reap(command: Pid) -> u8 {
    loop {
        match wait() {
            Ok(WaitStatus::Exited(pid, code)) if pid == command => return code as u8,
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == command => {
                return 128 + signal as u8;
            }
            _ => {}
        }
    }
}

/// Pass signals on until one was that should end the command; gives it.
fn pass_signals_on(command: Pid) -> Signal {
    let signals: SigSet = ENDING.into_iter().collect();
    let mut direct: Option<(i32, Instant)> = None;
    loop {
        let caught = process::wait_for_signal(&signals);
        if caught.code != libc::SI_QUEUE {
            direct = Some((caught.signal, Instant::now()));
            continue;
        }
        let Ok(signal) = Signal::try_from(caught.signal) else {
            continue;
        };
        if !direct.is_some_and(|(number, when)| number == caught.signal && when.elapsed() < SAME) {
            let _ = kill(command, signal);
        }
        return signal;
    }
}
