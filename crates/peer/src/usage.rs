//! Resource usage of the process.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use wirelab_contract::{Counts, Stopped};

/// Adds CPU time and peak memory of this process to its final counters.
pub(crate) fn stopped(counts: Counts) -> Stopped {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("getrusage(RUSAGE_SELF) cannot fail");
    let cpu = usage.user_time() + usage.system_time();
    Stopped {
        counts,
        cpu_ns: cpu.num_microseconds().unsigned_abs() * 1000,
        // Linux reports KiB.
        max_rss_bytes: usage.max_rss().unsigned_abs() * 1024,
    }
}
