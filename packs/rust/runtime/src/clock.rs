//! The two clocks around a timed loop.

fn read(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for writes of one timespec, and both clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Start time of a loop on both clocks.
pub(crate) struct Stopwatch {
    wall: u64,
    cpu: u64,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        let wall = read(libc::CLOCK_MONOTONIC);
        Self { wall, cpu: read(libc::CLOCK_THREAD_CPUTIME_ID) }
    }

    /// Nanoseconds of CLOCK_MONOTONIC and of CLOCK_THREAD_CPUTIME_ID since the start.
    pub(crate) fn stop(&self) -> (u64, u64) {
        let cpu = read(libc::CLOCK_THREAD_CPUTIME_ID);
        (read(libc::CLOCK_MONOTONIC) - self.wall, cpu - self.cpu)
    }
}
