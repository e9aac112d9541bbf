//! Exact transmission at a rate that is constant or follows a trace.
//!
//! Work is a whole number in bit * ns / s: a packet of b bits needs b * 10^9. The service curve
//! W(t) is the integral of the rate up to time t, in the same unit. A packet that finds the link
//! idle at t is done when W reaches W(t) + b * 10^9. The state is the work done, not a rounded
//! time, so rounding errors do not accumulate: after any number of packets the last one leaves
//! within 1 ns of the exact time.

use std::sync::Arc;

use crate::trace::Trace;

/// Work of one bit.
const BIT: u128 = 1_000_000_000;

/// Capacity over time.
#[derive(Debug, Clone)]
pub enum ServiceCurve {
    /// Constant bit/s, above zero.
    Constant(u64),
    /// A trace, started at `offset_ns`.
    Trace {
        /// Rate over time, repeated forever.
        trace: Arc<Trace>,
        /// Time in the trace at which virtual time 0 falls.
        offset_ns: u64,
    },
}

impl ServiceCurve {
    /// W(t): the work possible up to `t`.
    pub fn work_at(&self, t: u64) -> u128 {
        match self {
            ServiceCurve::Constant(rate) => u128::from(*rate) * u128::from(t),
            ServiceCurve::Trace { trace, offset_ns } => trace.work_at(t.saturating_add(*offset_ns)),
        }
    }

    /// The earliest time at which W reaches `work`, rounded up to a whole ns.
    pub fn time_at(&self, work: u128) -> u64 {
        match self {
            ServiceCurve::Constant(rate) => work
                .div_ceil(u128::from(*rate))
                .try_into()
                .unwrap_or(u64::MAX),
            ServiceCurve::Trace { trace, offset_ns } => {
                trace.time_at(work).saturating_sub(*offset_ns)
            }
        }
    }
}

/// A transmitter that sends packets one after the other at the rate of a [`ServiceCurve`].
#[derive(Debug, Clone)]
pub struct Transmitter {
    curve: ServiceCurve,
    work_done: u128,
}

impl Transmitter {
    /// An idle transmitter.
    pub fn new(curve: ServiceCurve) -> Transmitter {
        Transmitter {
            curve,
            work_done: 0,
        }
    }

    /// The time at which the last bit of a packet that arrives at `t` is sent. Arrival times must
    /// not decrease.
    pub fn finish(&mut self, t: u64, bytes: u32) -> u64 {
        self.work_done = self.work_done.max(self.curve.work_at(t)) + u128::from(bytes) * 8 * BIT;
        self.curve.time_at(self.work_done)
    }

    /// When transmission of a packet that arrives at `t` would start if `ahead` more bytes had to
    /// be sent first. Not after `t` if it need not wait.
    pub fn begin_after(&self, t: u64, ahead: u64) -> u64 {
        let work_done = self.work_done.max(self.curve.work_at(t));
        self.curve.time_at(work_done + u128::from(ahead) * 8 * BIT)
    }
}

#[cfg(test)]
mod tests {
    use super::{ServiceCurve, Transmitter};

    #[test]
    fn a_packet_on_an_idle_link_takes_its_bits_over_the_rate() {
        let mut transmitter = Transmitter::new(ServiceCurve::Constant(1_000_000));
        assert_eq!(transmitter.finish(5_000, 1500), 5_000 + 12_000_000);
    }

    #[test]
    fn rounding_does_not_add_up_over_a_million_packets() {
        // 60 B at 7 Mbit/s take 68,571.43 ns. A sum of rounded times would be off by 0.4 ms after a
        // million packets.
        let mut transmitter = Transmitter::new(ServiceCurve::Constant(7_000_000));
        let last = (0..1_000_000).fold(None, |_, _| Some(transmitter.finish(0, 60)));
        assert_eq!(last, Some(68_571_428_572));
    }

    #[test]
    fn a_link_that_fell_idle_starts_at_the_arrival() {
        let mut transmitter = Transmitter::new(ServiceCurve::Constant(8_000_000));
        assert_eq!(transmitter.finish(0, 1000), 1_000_000);
        assert_eq!(transmitter.finish(500_000, 1000), 2_000_000);
        assert_eq!(transmitter.finish(9_000_000, 1000), 10_000_000);
    }
}
