//! Creating the lab's first process, and coupling the lifetimes of processes.

use std::io;
use std::os::fd::AsRawFd;

use super::check;

/// The namespaces that a forked process gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespaces {
    /// User, mount, PID, network, IPC and UTS.
    OfALab,
    /// Mount and PID, for a command within a lab.
    OfACommand,
}

/// Fork into new namespaces. Returns the child's pid in the parent and 0 in the child.
///
/// The child is the first process of its PID namespace: when it ends, the kernel kills every other
/// process in it.
///
/// # Safety The process must have one thread only.
pub unsafe fn fork_into(namespaces: Namespaces) -> io::Result<libc::pid_t> {
    let all = libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
    let own = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::SIGCHLD;
    let flags = match namespaces {
        Namespaces::OfALab => own | all,
        Namespaces::OfACommand => own,
    };
    let null = 0usize;
    // SAFETY: without CLONE_VM and with no stack given this is a fork; the caller has one thread
    // only.
    let pid = unsafe {
        libc::syscall(
            libc::SYS_clone,
            flags as libc::c_ulong,
            null,
            null,
            null,
            null,
        )
    };
    check(pid as libc::c_int)
}

/// Have the kernel kill this process when the thread that forked it ends. Check separately that the
/// parent still ran before this call.
pub fn die_with_parent() -> io::Result<()> {
    // SAFETY: PR_SET_PDEATHSIG takes one integer.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) }).map(drop)
}

/// Let a closed standard output end this program silently, as with other programs in a pipe.
pub fn end_on_closed_output() {
    // SAFETY: the default action has no handler, so nothing of this program runs in signal context.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}

/// Whether all write ends of a pipe are closed.
pub fn is_closed(pipe: &impl AsRawFd) -> bool {
    let mut poll = libc::pollfd {
        fd: pipe.as_raw_fd(),
        events: 0,
        revents: 0,
    };
    // SAFETY: one pollfd, which outlives the call.
    unsafe { libc::poll(&mut poll, 1, 0) };
    poll.revents & libc::POLLHUP != 0
}

/// A signal and its origin.
#[derive(Debug, Clone, Copy)]
pub struct Caught {
    /// The signal's number.
    pub signal: libc::c_int,
    /// SI_USER, SI_QUEUE, SI_KERNEL ...
    pub code: libc::c_int,
}

/// Wait for one of `signals`, all of which must be blocked.
pub fn wait_for_signal(signals: &nix::sys::signal::SigSet) -> Caught {
    loop {
        // SAFETY: siginfo_t is plain data, for which zero is valid.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: both pointers are valid for the call.
        let signal = unsafe { libc::sigwaitinfo(signals.as_ref(), &mut info) };
        if signal > 0 {
            return Caught {
                signal,
                code: info.si_code,
            };
        }
    }
}

/// Send a signal marked as forwarded (SI_QUEUE), which tells it apart from a signal sent to the
/// whole process group.
pub fn pass_on(pid: libc::pid_t, signal: libc::c_int) {
    let value = libc::sigval {
        sival_ptr: std::ptr::null_mut(),
    };
    // SAFETY: takes no pointers that are followed.
    unsafe { libc::sigqueue(pid, signal, value) };
}
