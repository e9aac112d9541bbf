//! The supervisor process: creates the namespaces, forwards signals, and waits. It does nothing
//! else, so that the lab need only watch for its death.

use std::fs;
use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};

use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getegid, geteuid};

use super::spec::Realtime;
use crate::failure::{Failure, no_lab};
use crate::sys::process::{self, Namespaces};
use crate::sys::sched;

/// Signals that end a lab.
pub(super) const ENDING: [Signal; 4] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
];

/// Run `run_first` as the first process of new namespaces, forward signals to it, and return its
/// result.
///
/// The process must have one thread only.
pub(super) fn supervise(
    namespaces: Namespaces,
    run_first: impl FnOnce() -> Result<u8, Failure>,
) -> Result<u8, Failure> {
    let mut signals: SigSet = ENDING.into_iter().collect();
    signals.add(Signal::SIGCHLD);
    // Blocked before the fork, so that the first process inherits the mask and loses no signal.
    signals.thread_block().map_err(no_lab("signals"))?;
    let (gate, gate_writer) = pipe().map_err(no_lab("pipe"))?;
    // SAFETY: no thread was started before this point.
    let pid = unsafe { process::fork_into(namespaces) }.map_err(|error| no_namespaces(&error))?;
    if pid == 0 {
        drop(gate_writer);
        std::process::exit(i32::from(run_child(gate, run_first)));
    }
    drop(gate);
    // The first process has inherited real-time scheduling. This process only waits.
    let _ = sched::become_ordinary();
    let mapped = match namespaces {
        Namespaces::OfALab => map_users(pid),
        Namespaces::OfACommand => Ok(()),
    };
    let result = mapped.and_then(|()| release_child(&gate_writer));
    if let Err(failure) = result {
        let _ = nix::sys::signal::kill(Pid::from_raw(pid), Signal::SIGKILL);
        let _ = waitpid(Pid::from_raw(pid), None);
        return Err(failure);
    }
    let ended = wait(Pid::from_raw(pid), &signals);
    // Open until here: the first process takes its closing for the death of this process.
    drop(gate_writer);
    ended
}

/// Give this process real-time scheduling, as far as wanted and permitted.
pub(super) fn request_realtime(wanted: Realtime) -> Result<(), Failure> {
    if wanted == Realtime::Off {
        return Ok(());
    }
    // Before the namespaces are created, because the kernel does not permit it inside a user
    // namespace, even for root.
    match sched::become_realtime() {
        Err(error) if wanted == Realtime::On => Err(Failure::NoLab(format!(
            "real-time scheduling: {error}; run as root, or use realtime auto"
        ))),
        _ => Ok(()),
    }
}

fn no_namespaces(error: &io::Error) -> Failure {
    let remedy = match error.raw_os_error() {
        Some(libc::EPERM) => {
            "this system forbids user namespaces; allow them with `sysctl -w kernel.unprivileged_userns_clone=1` (Debian), \
             `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` (Ubuntu), or run as root"
        }
        Some(libc::ENOSPC) => {
            "too many user namespaces; raise the limit with `sysctl -w user.max_user_namespaces=10000`"
        }
        Some(libc::EINVAL | libc::ENOSYS) => {
            "this kernel does not support namespaces; use another kernel"
        }
        _ => "unexpected error of the kernel",
    };
    Failure::NoLab(format!("cannot create namespaces: {error}; {remedy}"))
}

/// The first process. It waits until its user IDs are mapped.
fn run_child(mut gate: PipeReader, run_first: impl FnOnce() -> Result<u8, Failure>) -> u8 {
    let start = || -> Result<u8, Failure> {
        process::die_with_parent().map_err(no_lab("parent-death signal"))?;
        let mut byte = [0];
        gate.read_exact(&mut byte)
            .map_err(no_lab("the supervisor process has ended"))?;
        // The supervisor may have been killed after writing the byte and before prctl above took
        // effect. That death sent no signal but closed the pipe.
        if process::is_closed(&gate) {
            return Err(Failure::NoLab("the supervisor process has ended".into()));
        }
        run_first()
    };
    start().unwrap_or_else(|failure| {
        eprintln!("wirelab-link: {failure}");
        failure.exit_code()
    })
}

fn release_child(mut gate_writer: &PipeWriter) -> Result<(), Failure> {
    gate_writer
        .write_all(b"g")
        .map_err(no_lab("the lab's first process ended early"))
}

/// For root, map all users, so that servers can drop privileges. For other users, map only the user
/// to root.
fn map_users(pid: libc::pid_t) -> Result<(), Failure> {
    let write = |file: &str, text: String| {
        fs::write(format!("/proc/{pid}/{file}"), text)
            .map_err(|e| Failure::NoLab(format!("{file}: {e}")))
    };
    if geteuid().is_root() {
        let same = |file: &str| -> Result<String, Failure> {
            let own = fs::read_to_string(format!("/proc/self/{file}")).map_err(no_lab(file))?;
            let lines = own.lines().filter_map(|line| {
                let mut fields = line.split_whitespace();
                let (inside, _, count) = (fields.next()?, fields.next()?, fields.next()?);
                Some(format!("{inside} {inside} {count}\n"))
            });
            Ok(lines.collect())
        };
        let (users, groups) = (same("uid_map")?, same("gid_map")?);
        if write("uid_map", users).is_ok() {
            return write("gid_map", groups);
        }
    }
    write("setgroups", "deny".into())?;
    write("uid_map", format!("0 {} 1\n", geteuid()))?;
    write("gid_map", format!("0 {} 1\n", getegid()))
}

fn wait(first: Pid, signals: &SigSet) -> Result<u8, Failure> {
    loop {
        let caught = process::wait_for_signal(signals);
        if caught.signal != libc::SIGCHLD {
            // A key press in the terminal has signalled the command as well. All other signals must
            // be forwarded.
            if caught.code != libc::SI_KERNEL {
                process::pass_on(first.as_raw(), caught.signal);
            }
            continue;
        }
        match waitpid(first, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(_, code)) => return Ok(code as u8),
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                return Err(Failure::NoLab(format!("the lab was killed by {signal}")));
            }
            _ => {}
        }
    }
}
