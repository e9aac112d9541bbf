//! When a real-time thread has run so long on end that it might be starving the machine.

/// So long without a pause, ns.
const MAX_AWAKE_NS: u64 = 2_000_000_000;

/// Remembers when the thread last had nothing to do.
pub struct Guard {
    paused_ns: u64,
}

impl Guard {
    /// For a thread that was idle at `now_ns`.
    pub fn new(now_ns: u64) -> Guard {
        Guard { paused_ns: now_ns }
    }

    /// Told before every look for frames how long it may sleep (None: until there are some). Whether real-time scheduling has to go: at
    /// every look for more than 2 s the thread was not to sleep at all, as the next frame was overdue or about to be.
    pub fn gives_up(&mut self, now_ns: u64, may_sleep_ns: Option<u64>) -> bool {
        if may_sleep_ns != Some(0) {
            self.paused_ns = now_ns;
        }
        now_ns - self.paused_ns > MAX_AWAKE_NS
    }
}

#[cfg(test)]
mod tests {
    use super::Guard;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn two_seconds_without_a_pause_are_too_long_and_not_a_ns_less() {
        let mut guard = Guard::new(5 * SECOND);
        assert!(!guard.gives_up(6 * SECOND, Some(0)));
        assert!(!guard.gives_up(7 * SECOND, Some(0)));
        assert!(guard.gives_up(7 * SECOND + 1, Some(0)));
    }

    #[test]
    fn any_pause_begins_the_two_seconds_anew() {
        for pause in [None, Some(1)] {
            let mut guard = Guard::new(0);
            assert!(!guard.gives_up(2 * SECOND, Some(0)));
            assert!(!guard.gives_up(3 * SECOND, pause));
            assert!(!guard.gives_up(5 * SECOND, Some(0)));
            assert!(guard.gives_up(5 * SECOND + 1, Some(0)));
        }
    }

    #[test]
    fn a_thread_that_sleeps_now_and_then_keeps_its_scheduling_for_ever() {
        let mut guard = Guard::new(0);
        let looks = (1..10_000).map(|ms| {
            (
                ms * SECOND / 1000,
                if ms % 1999 == 0 { Some(1) } else { Some(0) },
            )
        });
        assert!(
            !looks
                .into_iter()
                .any(|(now, sleep)| guard.gives_up(now, sleep))
        );
    }
}
