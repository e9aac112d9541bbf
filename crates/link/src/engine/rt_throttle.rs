//! Throttle of a real-time thread: leaves a share of the core to other threads in short pauses.

use std::time::Duration;

/// Awake time per required sleep: the thread uses at most nine tenths of a core. The kernel
/// reserves a twentieth for other threads; if it must enforce that, it stops the thread for 50 ms
/// at once, and every packet in that time is late.
const AWAKE_PER_SLEEP: u64 = 9;
/// Length of one pause, ns. It is due when this much sleep is outstanding.
const SLEEP_NS: u64 = 100_000;
/// A wait shorter than this, ns, was a system call without sleep and gave no time to other threads.
const SYSCALL_NS: u64 = 5_000;

/// Tracks the outstanding sleep of the thread.
#[derive(Default)]
pub struct RtThrottle {
    owed_sleep_ns: u64,
}

impl RtThrottle {
    /// The pause due after the thread waited `waited_ns` for frames and was then awake for
    /// `awake_ns`. It is due even if packets are late.
    pub fn required_sleep(&mut self, waited_ns: u64, awake_ns: u64) -> Option<Duration> {
        let (slept, awake) = if waited_ns < SYSCALL_NS {
            (0, waited_ns + awake_ns)
        } else {
            (waited_ns, awake_ns)
        };
        self.owed_sleep_ns = self.owed_sleep_ns.saturating_sub(slept) + awake / AWAKE_PER_SLEEP;
        (self.owed_sleep_ns >= SLEEP_NS).then(|| {
            self.owed_sleep_ns = 0;
            Duration::from_nanos(SLEEP_NS)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::RtThrottle;

    const US: u64 = 1_000;
    const SLEEP: Duration = Duration::from_micros(100);

    #[test]
    fn a_thread_awake_for_900_us_sleeps_100() {
        let mut throttle = RtThrottle::default();
        assert_eq!(throttle.required_sleep(0, 450 * US), None);
        assert_eq!(throttle.required_sleep(0, 450 * US), Some(SLEEP));
        assert_eq!(throttle.required_sleep(0, 899 * US), None);
    }

    #[test]
    fn one_that_waits_a_tenth_of_the_time_is_never_held_up() {
        let mut throttle = RtThrottle::default();
        assert!((0..100_000).all(|_| throttle.required_sleep(10 * US, 90 * US).is_none()));
    }

    #[test]
    fn looking_without_sleep_is_being_awake() {
        let mut throttle = RtThrottle::default();
        assert!((0..449).all(|_| throttle.required_sleep(US, US).is_none()));
        assert_eq!(throttle.required_sleep(4 * US, 100 * US), Some(SLEEP));
    }

    #[test]
    fn a_long_wait_is_no_credit() {
        let mut throttle = RtThrottle::default();
        assert_eq!(throttle.required_sleep(5_000_000 * US, 0), None);
        assert_eq!(throttle.required_sleep(0, 900 * US), Some(SLEEP));
    }
}
