//! The flow controller, and a model of when its queue is empty.

use std::time::{Duration, Instant};

use wirelab_peer::{Fault, Setup};

/// RTPS overhead of a message: packet header and timestamp, DATA header and CDR header (DDSI-RTPS
/// 2.3, 9.4).
const OWN: u64 = 64;

/// A limit of bytes per period. Fast DDS does not report when a best-effort sample has been sent,
/// so this computes it.
pub struct Flow {
    bytes: u64,
    period: Duration,
    /// Maximum number of queued messages.
    samples: u64,
    /// End of the period in which the last message is sent, and the bytes left in that period.
    ends: Option<Instant>,
    left: u64,
}

impl Flow {
    /// The flow controller, if the options enable one.
    ///
    /// # Errors
    /// A fatal fault that names the option.
    pub fn new(setup: &Setup) -> Result<Option<Self>, Fault> {
        let period: u64 = setup.options.in_range("flow_period_ms", 1, 60_000)?;
        if setup.options.text("flow_controller") == "none" {
            return Ok(None);
        }
        let rate: u64 = setup.options.in_range("flow_controller", 1, 1 << 40)?;
        let bytes = rate * period / 1000;
        if !(2 * OWN..=i32::MAX as u64).contains(&bytes) {
            let why = format!(
                "{rate} B/s gives {bytes} B per {period} ms; the limits are {} to {} B: change flow_period_ms",
                2 * OWN,
                i32::MAX
            );
            return Err(Fault::fatal("option flow_controller", why));
        }
        Ok(Some(Self {
            bytes,
            period: Duration::from_millis(period),
            samples: setup.options.parse("max_samples")?,
            ends: None,
            left: 0,
        }))
    }

    /// Bytes per period.
    pub fn bytes(&self) -> i32 {
        i32::try_from(self.bytes).expect("`new` has looked")
    }

    /// The period.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// A message is queued.
    pub fn sent(&mut self, message: usize, now: Instant) {
        let size = message as u64 + OWN;
        let ends = match self.ends {
            Some(ends) if now < ends => ends,
            _ => {
                self.left = self.bytes;
                now + self.period
            }
        };
        // A message that does not fit waits for the next period; one larger than a period is
        // fragmented.
        let further = if size <= self.left {
            self.left -= size;
            0
        } else {
            let periods = size.div_ceil(self.bytes);
            self.left = (periods * self.bytes).saturating_sub(size);
            periods
        };
        // When the history overflows, the oldest messages are dropped.
        let most = (self.samples * size).div_ceil(self.bytes) + 1;
        let last = now + self.periods(most);
        self.ends = Some((ends + self.periods(further)).min(last));
    }

    /// Time until everything has been sent.
    pub fn remaining(&self, now: Instant) -> Duration {
        // The current period may have started before the first message.
        self.ends.map_or(Duration::ZERO, |ends| {
            (ends + self.period).saturating_duration_since(now)
        })
    }

    fn periods(&self, number: u64) -> Duration {
        self.period
            .saturating_mul(u32::try_from(number).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(samples: u64) -> Flow {
        Flow {
            bytes: 1000,
            period: Duration::from_millis(100),
            samples,
            ends: None,
            left: 0,
        }
    }

    fn after(flow: &mut Flow, messages: usize, size: usize) -> u128 {
        let now = Instant::now();
        (0..messages).for_each(|_| flow.sent(size, now));
        flow.remaining(now).as_millis()
    }

    #[test]
    fn a_period_carries_whole_messages_and_what_does_not_fit_waits() {
        assert_eq!(after(&mut flow(5000), 0, 436), 0);
        assert_eq!(after(&mut flow(5000), 2, 436), 200);
        assert_eq!(after(&mut flow(5000), 3, 436), 300);
        assert_eq!(after(&mut flow(5000), 20, 436), 1100);
    }

    #[test]
    fn a_message_above_a_periods_bytes_takes_several() {
        assert_eq!(after(&mut flow(5000), 1, 4936), 700);
    }

    #[test]
    fn no_more_wait_than_a_history_holds() {
        assert_eq!(after(&mut flow(10), 5000, 936), 1200);
    }

    #[test]
    fn a_pause_lets_everything_leave() {
        let mut flow = flow(5000);
        let now = Instant::now();
        flow.sent(436, now);
        let later = now + Duration::from_secs(1);
        assert_eq!(flow.remaining(later), Duration::ZERO);
        flow.sent(436, later);
        assert_eq!(flow.remaining(later), Duration::from_millis(200));
    }
}
