//! Time, as a parameter.

use std::sync::atomic::{AtomicI64, Ordering};

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

/// How long before a planned time the real clock stops sleeping and spins.
///
/// A timer wakes a thread some microseconds late; a spin of this length hides most of that, and costs a tenth of a core
/// at 10,000 messages per second.
const SPIN_NS: i64 = 10_000;

/// A clock in ns, and a way to wait for one of its times.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> i64;
    /// Returns at `at` or as soon after it as possible; at once when `at` has passed.
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
            // A signal ends the sleep early; the loop then sleeps again.
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

/// A clock that stands still until someone sleeps: `sleep_until` moves it there at once.
#[derive(Debug, Default)]
pub struct Virtual(AtomicI64);

impl Virtual {
    /// A virtual clock that shows `now`.
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
