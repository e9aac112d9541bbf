//! Transmission parameters and the times derived from them (RFC 7252, section 4.8).

/// One second in ns.
pub(crate) const SECOND: i64 = 1_000_000_000;

/// MAX_LATENCY: the assumed maximum travel time of a datagram (RFC 7252, section 4.8.2).
const MAX_LATENCY: i64 = 100 * SECOND;

/// Transmission parameters; the defaults are those of RFC 7252.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transmission {
    /// ACK_TIMEOUT in ns: minimum time before the first retransmission.
    pub ack_timeout: i64,
    /// ACK_RANDOM_FACTOR: the first timeout is drawn from 1 to this many times ACK_TIMEOUT.
    pub ack_random_factor: f64,
    /// MAX_RETRANSMIT: number of retransmissions.
    pub max_retransmit: u32,
    /// NSTART: maximum number of outstanding confirmable exchanges with one endpoint.
    pub nstart: usize,
    /// How long, in ns, a non-confirmable block-wise transfer waits for its next block. RFC 7959
    /// defines no value; this is NON_RECEIVE_TIMEOUT of RFC 9177, section 7.2.
    pub non_timeout: i64,
    /// Maximum block size in bytes: a power of two from 16 to 1024.
    pub block_size: usize,
    /// Bodies up to this size in bytes are sent in one datagram even if they are larger than a
    /// block, which RFC 7252, section 4.6, advises against.
    pub whole: usize,
}

impl Default for Transmission {
    fn default() -> Self {
        Self {
            ack_timeout: 2 * SECOND,
            ack_random_factor: 1.5,
            max_retransmit: 4,
            nstart: 1,
            non_timeout: 4 * SECOND,
            block_size: 1024,
            whole: 0,
        }
    }
}

impl Transmission {
    /// Maximum bytes of a body of this length in one datagram.
    pub(crate) fn piece(&self, length: usize) -> usize {
        if length <= self.whole {
            self.block_size.max(length)
        } else {
            self.block_size
        }
    }

    /// MAX_TRANSMIT_WAIT in ns: maximum time from the first transmission to giving up.
    pub fn max_transmit_wait(&self) -> i64 {
        self.spread((1 << (self.max_retransmit + 1)) - 1)
    }

    /// EXCHANGE_LIFETIME in ns: how long a message ID must not be reused.
    pub fn exchange_lifetime(&self) -> i64 {
        self.spread((1 << self.max_retransmit) - 1) + 2 * MAX_LATENCY + self.ack_timeout
    }

    fn spread(&self, timeouts: i64) -> i64 {
        ((self.ack_timeout * timeouts) as f64 * self.ack_random_factor) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_derived_times_are_those_of_rfc_7252_section_4_8_2() {
        let rfc = Transmission::default();
        assert_eq!(rfc.max_transmit_wait(), 93 * SECOND);
        assert_eq!(rfc.exchange_lifetime(), 247 * SECOND);
    }
}
