//! Clocks. All times are CLOCK_MONOTONIC, except the kernel's packet time stamps, which are
//! CLOCK_REALTIME.

/// Readings further apart than this were interrupted and are repeated.
const QUICK_NS: u64 = 300;
const TRIES: usize = 4;

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid timespec for the kernel to fill; the clocks read here exist on
    // every Linux.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// CLOCK_MONOTONIC in ns.
pub fn now() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// ns from an epoch to a reading of [`now`]. The epoch may be negative, that is, before the
/// machine's start.
pub fn since(epoch_ns: i64, now: u64) -> u64 {
    (now as i64 - epoch_ns).max(0) as u64
}

/// CLOCK_REALTIME in ns.
pub fn real() -> u64 {
    read(libc::CLOCK_REALTIME)
}

/// CLOCK_MONOTONIC now, and CLOCK_REALTIME - CLOCK_MONOTONIC in ns.
///
/// Called at every wake-up, so that a step or slew of the wall clock affects only packets of that
/// moment. The wall clock is read between two readings of the monotonic clock, and the closest of a
/// few attempts is used.
pub fn now_and_offset() -> (u64, i64) {
    let (mut best_gap, mut best) = (u64::MAX, (0, 0));
    for _ in 0..TRIES {
        let before = read(libc::CLOCK_MONOTONIC);
        let real = read(libc::CLOCK_REALTIME);
        let after = read(libc::CLOCK_MONOTONIC);
        if after - before < best_gap {
            best_gap = after - before;
            best = (after, real as i64 - (before + best_gap / 2) as i64);
        }
        if best_gap <= QUICK_NS {
            break;
        }
    }
    best
}

/// CPU time of this thread, ns. A call takes about 0.4 us, so not per packet.
pub fn thread_cpu() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// A duration in ns as a timespec.
pub fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    }
}
