//! A real-time thread that leaves others a share of its core, in pieces too short to be noticed.

use std::time::Duration;

/// The thread owes one ns of sleep for so many that it is awake: it takes at most nine tenths of a core. The kernel wants a twentieth for
/// others, and where they do not get it takes 50 ms at once, in which every packet is late.
const AWAKE_PER_SLEEP: u64 = 9;
/// How long it sleeps when it owes that much, ns.
const SLEEP_NS: u64 = 100_000;
/// A wait that is over sooner, ns, was a system call and no sleep: another thread had nothing of it.
const SYSCALL_NS: u64 = 5_000;

/// Keeps account of the sleep that is owed.
#[derive(Default)]
pub struct RtThrottle {
    owed_sleep_ns: u64,
}

impl RtThrottle {
    /// Told how long the thread waited for frames, and was awake then, ns: how long it has to sleep now, whatever is due.
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
