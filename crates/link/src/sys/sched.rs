//! Real-time scheduling.

use std::io;

use super::check;

/// Above all threads without real-time scheduling, below the kernel's real-time threads (from 50).
const PRIORITY: libc::c_int = 20;

fn set(policy: libc::c_int, priority: libc::c_int) -> io::Result<()> {
    let parameter = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: `parameter` outlives the call; pid 0 is the calling thread.
    check(unsafe { libc::sched_setscheduler(0, policy, &parameter) }).map(drop)
}

/// Give this thread real-time scheduling, which a fork inherits. Needs CAP_SYS_NICE outside any
/// user namespace.
pub fn become_realtime() -> io::Result<()> {
    set(libc::SCHED_FIFO, PRIORITY)
}

/// Restrict real-time scheduling to this thread: its future children get ordinary scheduling.
pub fn keep_to_this_thread() -> io::Result<()> {
    set(libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, PRIORITY)
}

/// Return to ordinary scheduling. Always permitted as long as the reset-on-fork flag is kept;
/// removing the flag needs a privilege.
pub fn become_ordinary() -> io::Result<()> {
    set(libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK, 0)
}

/// Whether this thread has real-time scheduling.
pub fn is_realtime() -> bool {
    // SAFETY: takes no pointers; pid 0 is the calling thread.
    let policy = unsafe { libc::sched_getscheduler(0) };
    policy & !libc::SCHED_RESET_ON_FORK == libc::SCHED_FIFO
}

/// Make this thread's timers as exact as the kernel can (1 ns of slack; the default is 50 us).
pub fn exact_timers() {
    // SAFETY: PR_SET_TIMERSLACK takes one integer.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}
