//! Confirmable messages in flight: retransmission and timeout (RFC 7252, section 4.2).

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;

use crate::params::Transmission;

type Id = (SocketAddr, u16);

struct Pending<K> {
    bytes: Vec<u8>,
    key: K,
    deadline: i64,
    timeout: i64,
    retransmitted: u32,
}

/// The result of a timer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Expired<K> {
    /// Retransmit this datagram.
    Again(SocketAddr, Vec<u8>),
    /// No acknowledgement after MAX_RETRANSMIT retransmissions.
    GaveUp(K),
}

/// Unacknowledged confirmable messages, each with a key of the caller.
pub(crate) struct TransmitQueue<K> {
    transmission: Transmission,
    rng: fastrand::Rng,
    pending: HashMap<Id, Pending<K>>,
    timers: BTreeSet<(i64, Id)>,
}

impl<K> TransmitQueue<K> {
    pub fn new(transmission: Transmission, rng: fastrand::Rng) -> Self {
        Self {
            transmission,
            rng,
            pending: HashMap::new(),
            timers: BTreeSet::new(),
        }
    }

    /// Adds a confirmable message that has just been sent.
    pub fn keep(&mut self, now: i64, to: SocketAddr, id: u16, bytes: Vec<u8>, key: K) {
        let spread = (self.transmission.ack_random_factor - 1.0) * self.rng.f64();
        let timeout = (self.transmission.ack_timeout as f64 * (1.0 + spread)) as i64;
        let deadline = now + timeout;
        self.timers.insert((deadline, (to, id)));
        self.pending.insert(
            (to, id),
            Pending {
                bytes,
                key,
                deadline,
                timeout,
                retransmitted: 0,
            },
        );
    }

    /// Removes a message: it was acknowledged or rejected, or is no longer of interest.
    pub fn settle(&mut self, from: SocketAddr, id: u16) -> Option<K> {
        let pending = self.pending.remove(&(from, id))?;
        self.timers.remove(&(pending.deadline, (from, id)));
        Some(pending.key)
    }

    /// Whether this message ID is in use.
    pub fn holds(&self, to: SocketAddr, id: u16) -> bool {
        self.pending.contains_key(&(to, id))
    }

    /// The next timer that is due at `now`.
    pub fn expired(&mut self, now: i64) -> Option<Expired<K>> {
        let &(deadline, id) = self
            .timers
            .first()
            .filter(|(deadline, _)| *deadline <= now)?;
        self.timers.remove(&(deadline, id));
        let pending = self.pending.get_mut(&id)?;
        if pending.retransmitted == self.transmission.max_retransmit {
            return self
                .pending
                .remove(&id)
                .map(|pending| Expired::GaveUp(pending.key));
        }
        pending.retransmitted += 1;
        pending.timeout *= 2;
        pending.deadline = now + pending.timeout;
        self.timers.insert((pending.deadline, id));
        Some(Expired::Again(id.0, pending.bytes.clone()))
    }

    /// When [`TransmitQueue::expired`] must be called next.
    pub fn deadline(&self) -> Option<i64> {
        self.timers.first().map(|(deadline, _)| *deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::SECOND;

    fn transmit_queue(factor: f64) -> TransmitQueue<&'static str> {
        let transmission = Transmission {
            ack_random_factor: factor,
            ..Transmission::default()
        };
        let mut transmit_queue = TransmitQueue::new(transmission, fastrand::Rng::with_seed(7));
        transmit_queue.keep(0, here(), 5, vec![1], "key");
        transmit_queue
    }

    fn here() -> SocketAddr {
        "127.0.0.1:5683".parse().unwrap()
    }

    #[test]
    fn copies_go_out_after_2_6_14_and_30_s_and_the_end_is_at_62_s() {
        let mut transmit_queue = transmit_queue(1.0);
        for second in [2, 6, 14, 30] {
            assert_eq!(transmit_queue.deadline(), Some(second * SECOND));
            assert_eq!(transmit_queue.expired(second * SECOND - 1), None);
            assert_eq!(
                transmit_queue.expired(second * SECOND),
                Some(Expired::Again(here(), vec![1]))
            );
        }
        assert_eq!(transmit_queue.deadline(), Some(62 * SECOND));
        assert_eq!(
            transmit_queue.expired(62 * SECOND),
            Some(Expired::GaveUp("key"))
        );
        assert_eq!(
            (transmit_queue.deadline(), transmit_queue.expired(i64::MAX)),
            (None, None)
        );
    }

    #[test]
    fn the_first_timeout_is_spread_between_2_and_3_s() {
        let mut transmit_queue = transmit_queue(1.5);
        (6..1000).for_each(|id| transmit_queue.keep(0, here(), id, vec![], "k"));
        let (least, most) = (
            transmit_queue.timers.first().unwrap().0,
            transmit_queue.timers.last().unwrap().0,
        );
        assert!(
            (2 * SECOND..2 * SECOND + SECOND / 50).contains(&least),
            "{least}"
        );
        assert!(
            (3 * SECOND - SECOND / 50..=3 * SECOND).contains(&most),
            "{most}"
        );
    }

    #[test]
    fn an_acknowledged_message_is_sent_no_more() {
        let mut transmit_queue = transmit_queue(1.0);
        assert_eq!(transmit_queue.settle(here(), 5), Some("key"));
        assert_eq!(transmit_queue.settle(here(), 5), None);
        assert_eq!(transmit_queue.expired(i64::MAX), None);
    }
}
