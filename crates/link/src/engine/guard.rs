//! A real-time thread that leaves others a share of its core, in pieces too short to be noticed.

use std::time::Duration;

/// The thread owes one ns of sleep for so many that it is awake: it takes at most nine tenths of a core. The kernel wants a twentieth for
/// others, and where they do not get it takes 50 ms at once, in which every packet is late.
const AWAKE_PER_REST: u64 = 9;
/// How long it sleeps when it owes that much, ns.
const REST_NS: u64 = 100_000;
/// A wait that is over sooner, ns, was a system call and no sleep: another thread had nothing of it.
const CALL_NS: u64 = 5_000;

/// Keeps account of the sleep that is owed.
#[derive(Default)]
pub struct Guard {
    owed_ns: u64,
}

impl Guard {
    /// Told how long the thread waited for frames, and was awake then, ns: how long it has to sleep now, whatever is due.
    pub fn rest(&mut self, waited_ns: u64, awake_ns: u64) -> Option<Duration> {
        let (slept, awake) = if waited_ns < CALL_NS {
            (0, waited_ns + awake_ns)
        } else {
            (waited_ns, awake_ns)
        };
        self.owed_ns = self.owed_ns.saturating_sub(slept) + awake / AWAKE_PER_REST;
        (self.owed_ns >= REST_NS).then(|| {
            self.owed_ns = 0;
            Duration::from_nanos(REST_NS)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Guard;

    const US: u64 = 1_000;
    const REST: Duration = Duration::from_micros(100);

    #[test]
    fn a_thread_awake_for_900_us_sleeps_100() {
        let mut guard = Guard::default();
        assert_eq!(guard.rest(0, 450 * US), None);
        assert_eq!(guard.rest(0, 450 * US), Some(REST));
        assert_eq!(guard.rest(0, 899 * US), None);
    }

    #[test]
    fn one_that_waits_a_tenth_of_the_time_is_never_held_up() {
        let mut guard = Guard::default();
        assert!((0..100_000).all(|_| guard.rest(10 * US, 90 * US).is_none()));
    }

    #[test]
    fn looking_without_sleep_is_being_awake() {
        let mut guard = Guard::default();
        assert!((0..449).all(|_| guard.rest(US, US).is_none()));
        assert_eq!(guard.rest(4 * US, 100 * US), Some(REST));
    }

    #[test]
    fn a_long_wait_is_no_credit() {
        let mut guard = Guard::default();
        assert_eq!(guard.rest(5_000_000 * US, 0), None);
        assert_eq!(guard.rest(0, 900 * US), Some(REST));
    }
}
