//! Real-time scheduling, and its guard.

use std::io;

use super::check;

/// Above everything that is not real-time, below kernel threads that are (those begin at 50).
const PRIORITY: libc::c_int = 20;

fn set(policy: libc::c_int, priority: libc::c_int) -> io::Result<()> {
    let parameter = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: `parameter` outlives the call; pid 0 is the calling thread.
    check(unsafe { libc::sched_setscheduler(0, policy, &parameter) }).map(drop)
}

fn limit(priority: libc::rlim_t) -> io::Result<()> {
    let limit = libc::rlimit {
        rlim_cur: priority,
        rlim_max: priority,
    };
    // SAFETY: `limit` outlives the call.
    check(unsafe { libc::setrlimit(libc::RLIMIT_RTPRIO, &limit) }).map(drop)
}

/// Let this process and its children take real-time scheduling later, also inside a user namespace, where the kernel asks the
/// resource limit and not the user. Needs root outside any user namespace, or a limit that is high enough already.
pub fn permit_realtime() -> io::Result<()> {
    limit(PRIORITY as libc::rlim_t)
}

/// Take that permission from this process and what it starts. Always permitted; allocates nothing.
pub fn forbid_realtime() -> io::Result<()> {
    limit(0)
}

/// Give this thread, and nothing it starts, real-time scheduling.
///
/// Not before the lab stands: while another lab holds the kernel's network lock, setting up repeats system calls until it
/// is free, and a real-time thread that does so on every core keeps the holder from running at all.
pub fn become_realtime() -> io::Result<()> {
    set(libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, PRIORITY)
}

/// Whether this thread may become real-time.
pub fn may_become_realtime() -> bool {
    become_realtime().and_then(|()| become_ordinary()).is_ok()
}

/// Back to ordinary scheduling. Always permitted.
pub fn become_ordinary() -> io::Result<()> {
    set(libc::SCHED_OTHER, 0)
}

/// Whether this thread is real-time.
pub fn is_realtime() -> bool {
    // SAFETY: takes no pointers; pid 0 is the calling thread.
    let policy = unsafe { libc::sched_getscheduler(0) };
    policy & !libc::SCHED_RESET_ON_FORK == libc::SCHED_FIFO
}

/// Let this thread's timers fire as exactly as the kernel can (1 ns of slack; the default is 50 us).
pub fn exact_timers() {
    // SAFETY: PR_SET_TIMERSLACK takes one integer.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}
