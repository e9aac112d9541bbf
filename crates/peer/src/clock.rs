//! The clock as a parameter, so that tests run in virtual time.

use std::sync::atomic::{AtomicI64, Ordering};

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

/// How long before the target time the real clock stops sleeping and spins.
///
/// Timers wake a thread some microseconds late. Spinning this long hides most of that delay and
/// costs a tenth of a core at 10,000 messages per second.
const SPIN_NS: i64 = 10_000;

/// A clock in ns that can wait.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> i64;
    /// Returns at `at` or as soon after it as possible; immediately if `at` is in the past.
    fn sleep_until(&self, at: i64);
}

/// `CLOCK_MONOTONIC`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Monotonic;

impl Clock for Monotonic {
    fn now(&self) -> i64 {
        let now =
            clock_gettime(ClockId::CLOCK_MONOTONIC).expect("CLOCK_MONOTONIC exists on every Linux");
        now.tv_sec() * 1_000_000_000 + now.tv_nsec()
    }

    fn sleep_until(&self, at: i64) {
        let wake = at - SPIN_NS;
        while self.now() < wake {
            let time = TimeSpec::new(wake / 1_000_000_000, wake % 1_000_000_000);
            // A signal can end the sleep early; the loop then sleeps again.
            let _ = clock_nanosleep(
                ClockId::CLOCK_MONOTONIC,
                ClockNanosleepFlags::TIMER_ABSTIME,
                &time,
            );
        }
        while self.now() < at {
            std::hint::spin_loop();
        }
    }
}

/// A clock that advances only in `sleep_until`, which returns at once.
#[derive(Debug, Default)]
pub struct Virtual(AtomicI64);

impl Virtual {
    /// A virtual clock set to `now`.
    pub fn at(now: i64) -> Self {
        Self(AtomicI64::new(now))
    }
}

impl Clock for Virtual {
    fn now(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    fn sleep_until(&self, at: i64) {
        self.0.fetch_max(at, Ordering::Relaxed);
    }
}
