//! What the process has used.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use wirelab_contract::{Counts, Stopped};

/// CPU time and peak memory of this process, beside its final counts.
pub(crate) fn stopped(counts: Counts) -> Stopped {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("getrusage of the own process cannot fail");
    let cpu = usage.user_time() + usage.system_time();
    Stopped {
        counts,
        cpu_ns: cpu.num_microseconds().unsigned_abs() * 1000,
        // Linux counts in KiB.
        max_rss_bytes: usage.max_rss().unsigned_abs() * 1024,
    }
}
