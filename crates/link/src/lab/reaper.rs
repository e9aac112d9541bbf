//! Waiting for the command, reaping orphaned processes, and forwarding signals to the command.

use std::io;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::Pid;

use super::supervisor::ENDING;
use crate::sys::process;

/// Time limit for the command to end after a signal.
const GRACE: Duration = Duration::from_secs(5);
/// A forwarded signal this soon after the same signal received directly was sent to the whole
/// process group, so the command already has it.
const SAME: Duration = Duration::from_millis(500);

/// Watch the command. When it has ended, call `stop` and send its exit code.
pub fn start(child: Child, stop: impl Fn() + Clone + Send + 'static) -> io::Result<Receiver<u8>> {
    let command = Pid::from_raw(child.id() as i32);
    let (result, ended) = channel();
    let late = stop.clone();
    let code = result.clone();
    std::thread::Builder::new()
        .name("reaper".into())
        .spawn(move || {
            let status = reap(command);
            // Sent before the stop, so that the code is available when the emulator has ended.
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

/// Reap all processes of the lab until the command ends. Returns its exit code, or 128 + the
/// signal.
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

/// Forward the first signal that should end the command, and return it.
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
