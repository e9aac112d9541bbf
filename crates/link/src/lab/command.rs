//! Starting commands in the lab.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use nix::sched::{CloneFlags, setns};
use nix::sys::signal::SigSet;

use super::spec::{LabSpec, variable};
use super::{HOME, network};

/// Start a command in a network namespace, with the lab's environment variables.
pub fn start(spec: &LabSpec, command: &[String], namespace: &File) -> io::Result<Child> {
    let mut child = Command::new(&command[0]);
    child
        .args(&command[1..])
        .env("TMPDIR", format!("{HOME}/tmp"))
        .env("WIRELAB_LAB", HOME);
    for (i, host) in spec.hosts.iter().enumerate() {
        child.env(variable(&host.name), network::address(i).to_string());
    }
    for &(name, host) in spec.former_variables {
        child.env(name, network::address(host).to_string());
    }
    start_in(child, namespace)
}

/// Start a command in a network namespace, with no signals blocked.
pub fn start_in(mut child: Command, namespace: &File) -> io::Result<Child> {
    let fd = namespace.as_raw_fd();
    let enter = move || {
        // SAFETY: the parent keeps the descriptor open until after this fork's exec.
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        setns(fd.as_fd(), CloneFlags::CLONE_NEWNET)?;
        SigSet::empty().thread_set_mask()?;
        Ok(())
    };
    // SAFETY: `enter` makes two system calls and allocates nothing.
    unsafe { child.pre_exec(enter) };
    child.spawn()
}

/// Report why a command did not start. Returns the matching exit code.
pub fn report_start_failure(name: &str, error: &io::Error) -> u8 {
    eprintln!("wirelab-link: {name}: {error}");
    if error.kind() == io::ErrorKind::NotFound {
        127
    } else {
        126
    }
}
