//! Reconnection after a broken connection: time limit and backoff.

use std::time::Duration;

use wirelab_contract::Fault;

use crate::options::Options;

/// Delay before the first attempt; it doubles with each further attempt.
const FIRST: Duration = Duration::from_millis(10);
/// Maximum delay.
const LONGEST: Duration = Duration::from_millis(500);

/// Reconnection within the limit of the option `reconnect_s`. Times are in ns of the peer's clock.
#[derive(Debug, Clone)]
pub struct Reconnect {
    limit_ns: i64,
    /// When the connection broke; `None` while it is up.
    broken: Option<i64>,
    wait: Duration,
}

impl Reconnect {
    /// The option of every peer that can reconnect. By default a broken connection is immediately
    /// fatal.
    pub const OPTION: (&'static str, &'static str) = ("reconnect_s", "0");

    /// Reads the option.
    ///
    /// # Errors
    /// A fatal fault that names the option.
    pub fn read(options: &Options) -> Result<Self, Fault> {
        let limit = Duration::try_from_secs_f64(options.parse(Self::OPTION.0)?)
            .map_err(|error| Fault::fatal(format!("option {}", Self::OPTION.0), error))?;
        Ok(Self {
            limit_ns: i64::try_from(limit.as_nanos()).unwrap_or(i64::MAX),
            broken: None,
            wait: FIRST,
        })
    }

    /// Whether the peer reconnects at all.
    pub fn is_enabled(&self) -> bool {
        self.limit_ns > 0
    }

    /// Time limit for reconnecting, for libraries that reconnect by themselves.
    pub fn limit(&self) -> Duration {
        Duration::from_nanos(self.limit_ns.unsigned_abs())
    }

    /// The connection broke, or an attempt failed. Returns the delay before the next attempt and
    /// the time limit for it, or `None` if the total limit is exceeded.
    pub fn next(&mut self, now: i64) -> Option<(Duration, Duration)> {
        let broken = *self.broken.get_or_insert(now);
        let left = self.limit_ns.saturating_sub(now - broken);
        let left = Duration::from_nanos(u64::try_from(left).ok().filter(|left| *left > 0)?);
        let wait = self.wait.min(left);
        self.wait = (self.wait * 2).min(LONGEST);
        Some((wait, left.saturating_sub(wait).max(FIRST)))
    }

    /// The connection is up. Returns whether it had been broken.
    pub fn succeeded(&mut self) -> bool {
        self.wait = FIRST;
        self.broken.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited_to(seconds: &str) -> Reconnect {
        let known = [(Reconnect::OPTION.0.to_owned(), "0".to_owned())].into();
        let asked = [(Reconnect::OPTION.0.to_owned(), seconds.to_owned())].into();
        Reconnect::read(&Options::new(&known, &asked).unwrap()).unwrap()
    }

    #[test]
    fn without_the_option_a_broken_connection_is_not_made_again() {
        assert_eq!(limited_to("0").next(5), None);
    }

    #[test]
    fn waits_double_up_to_half_a_second_until_the_time_is_over() {
        let mut reconnect = limited_to("2");
        let mut now = 7_000_000_000;
        let mut waits = Vec::new();
        while let Some((wait, left)) = reconnect.next(now) {
            waits.push(wait.as_millis());
            assert!(left >= FIRST);
            now += wait.as_nanos() as i64;
        }
        assert_eq!(waits, [10, 20, 40, 80, 160, 320, 500, 500, 370]);
        assert_eq!(now, 9_000_000_000);
    }

    #[test]
    fn success_resets_the_limit_and_is_reported_once() {
        let mut reconnect = limited_to("1");
        assert!(!reconnect.succeeded());
        reconnect.next(0);
        reconnect.next(900_000_000);
        assert!(reconnect.succeeded());
        assert!(!reconnect.succeeded());
        let (wait, left) = reconnect.next(5_000_000_000).unwrap();
        assert_eq!((wait.as_millis(), left.as_millis()), (10, 990));
    }
}
