//! Adaptive throttling: holds messages back while acknowledgements indicate a queue in the network.
//!
//! A congestion window of unacknowledged messages, with additive increase and multiplicative
//! decrease (RFC 5681, section 3.1). It grows by one message per window. It shrinks once per window
//! when a message fails, or when an acknowledgement takes so much longer than the fastest one that
//! it must have queued (as in TCP Vegas).

use wirelab_contract::{Counts, Fault, Qos};

use crate::options::Options;

/// The option of every protocol that has a QoS level with acknowledgements.
pub(crate) const THROTTLE: (&str, &str) = ("throttle", "none");
const INITIAL_WINDOW: f64 = 16.0;
/// An acknowledgement delay above this multiple of the shortest one indicates queueing.
const QUEUED_FACTOR: i64 = 2;
const DECREASE_FACTOR: f64 = 0.7;

/// A window of messages in flight.
#[derive(Debug)]
pub(crate) struct Throttle {
    window: f64,
    shortest_ns: i64,
    known: u64,
    failed: u64,
    /// Outcomes of messages sent before the last decrease do not reflect the new window.
    recovery_end: u64,
}

impl Throttle {
    /// The throttle, if the options enable it.
    ///
    /// # Errors
    /// A fatal fault if the option is invalid or the QoS level has no acknowledgements.
    pub fn new(options: &Options, qos: &Qos) -> Result<Option<Self>, Fault> {
        let is_adaptive = match options.get(THROTTLE.0) {
            None => false,
            Some(_) => options.one_of(THROTTLE.0, [("none", false), ("adaptive", true)])?,
        };
        match is_adaptive {
            false => Ok(None),
            true if qos.acknowledged => Ok(Some(Self::default())),
            true => Err(Fault::fatal(
                format!("option {}", THROTTLE.0),
                format!("qos {} has no acknowledgements", qos.name),
            )),
        }
    }

    /// Whether another message may be sent. `delay_ns` is the age of the last acknowledged message
    /// when it was acknowledged.
    pub fn may_send(&mut self, counts: Counts, delay_ns: i64) -> bool {
        let known = counts.acknowledged + counts.failed;
        if known > self.known {
            let news = known - self.known;
            self.known = known;
            self.update(news, counts, delay_ns);
        }
        ((counts.sent - known.min(counts.sent)) as f64) < self.window
    }

    fn update(&mut self, news: u64, counts: Counts, delay_ns: i64) {
        let lost = counts.failed > self.failed;
        self.failed = counts.failed;
        if delay_ns > 0 {
            self.shortest_ns = self.shortest_ns.min(delay_ns);
        }
        if !lost && delay_ns <= QUEUED_FACTOR * self.shortest_ns {
            self.window += news as f64 / self.window;
        } else if self.known > self.recovery_end {
            self.window = (self.window * DECREASE_FACTOR).max(1.0);
            self.recovery_end = counts.sent;
        }
    }
}

impl Default for Throttle {
    fn default() -> Self {
        Self {
            window: INITIAL_WINDOW,
            shortest_ns: i64::MAX / QUEUED_FACTOR,
            known: 0,
            failed: 0,
            recovery_end: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(sent: u64, acknowledged: u64, failed: u64) -> Counts {
        Counts {
            sent,
            acknowledged,
            failed,
            ..Counts::default()
        }
    }

    #[test]
    fn sixteen_messages_leave_before_anything_is_known() {
        let mut throttle = Throttle::default();
        assert!(throttle.may_send(counts(15, 0, 0), 0));
        assert!(!throttle.may_send(counts(16, 0, 0), 0));
    }

    #[test]
    fn timely_acknowledgements_open_the_window_by_one_message_a_window() {
        let mut throttle = Throttle::default();
        assert!(throttle.may_send(counts(16, 16, 0), 1000));
        assert!(throttle.may_send(counts(32, 16, 0), 1000));
        assert!(!throttle.may_send(counts(33, 16, 0), 1000));
    }

    #[test]
    fn late_acknowledgements_and_failures_close_it_once_a_window() {
        for (acknowledged, failed, delay) in [(17, 0, 2500), (16, 1, 1000)] {
            let mut throttle = Throttle::default();
            throttle.may_send(counts(16, 16, 0), 1000);
            assert!(!throttle.may_send(counts(32, acknowledged, failed), delay));
            assert_eq!(throttle.window, 17.0 * DECREASE_FACTOR);
            // Messages sent before the decrease are equally late.
            throttle.may_send(counts(32, acknowledged + 1, failed), 2500);
            assert_eq!(throttle.window, 17.0 * DECREASE_FACTOR);
        }
    }

    #[test]
    fn one_message_may_always_be_on_its_way() {
        let mut throttle = Throttle::default();
        throttle.may_send(counts(1, 1, 0), 1);
        for sent in 2..100 {
            throttle.may_send(counts(sent, sent, 0), 1000);
        }
        assert!(throttle.may_send(counts(99, 99, 0), 1000));
    }

    #[test]
    fn a_qos_without_acknowledgements_cannot_be_throttled() {
        let known = [("throttle".to_owned(), "none".to_owned())].into();
        let asked = [("throttle".to_owned(), "adaptive".to_owned())].into();
        let options = Options::new(&known, &asked).unwrap();
        let silent = Qos::new("0", wirelab_contract::Delivery::AtMostOnce, false);
        let fault = Throttle::new(&options, &silent).unwrap_err();
        assert_eq!(fault.why, "qos 0 has no acknowledgements");
        let telling = Qos::new("1", wirelab_contract::Delivery::AtLeastOnce, true);
        assert!(Throttle::new(&options, &telling).unwrap().is_some());
    }
}
