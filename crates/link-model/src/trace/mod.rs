//! Recorded or generated capacity over time.

mod capture;
#[cfg(test)]
mod capture_tests;
mod cleaning;
#[cfg(test)]
mod cleaning_tests;
mod clock;
#[cfg(test)]
mod clock_tests;
mod compressed;
mod data_set;
mod file;
mod fit;
mod foreign;
mod generator;
mod lines;
mod link_layer;
#[cfg(test)]
mod link_layer_tests;
mod loss_trace;
mod mahimahi;
mod other_columns;
mod outage;
mod packets;
mod pcapng;
pub mod pcapng_format;
mod rate_table;
#[cfg(test)]
mod rate_table_tests;
mod rows;
mod table;
mod unit;
#[cfg(test)]
mod unit_tests;

pub use cleaning::{Cleaning, Findings};
pub use clock::parse_time_unit;
pub use data_set::Settings;
pub use file::{Format, MAX_FILE_BYTES, Recording, parse, parse_with, settings};
pub use fit::fit;
pub use generator::Generator;
pub use loss_trace::LossTrace;
pub use outage::OutageSpec;
pub use rate_table::Choices;
pub use unit::Unit;

use crate::error::BadLink;

const SECOND: u64 = 1_000_000_000;
/// Longest trace accepted: ten days.
const MAX_NS: u64 = 864_000 * SECOND;

/// Piecewise-constant rate over time, repeated forever. At least one piece has a rate above zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Start of each piece, ns; the first is 0.
    starts: Vec<u64>,
    /// bit/s of each piece.
    rates: Vec<u64>,
    /// Work before each piece (see [`crate::ServiceCurve`] for the unit).
    before: Vec<u128>,
    period: u64,
    total: u128,
}

impl Trace {
    /// A trace of (duration ns, bit/s) pieces. Adjacent pieces of equal rate are merged, empty
    /// pieces removed.
    pub fn from_pieces(pieces: impl IntoIterator<Item = (u64, u64)>) -> Result<Trace, BadLink> {
        let mut trace = Trace {
            starts: vec![],
            rates: vec![],
            before: vec![],
            period: 0,
            total: 0,
        };
        for (duration, rate) in pieces {
            if duration == 0 {
                continue;
            }
            if trace.rates.last() != Some(&rate) {
                trace.starts.push(trace.period);
                trace.rates.push(rate);
                trace.before.push(trace.total);
            }
            trace.period = trace.period.saturating_add(duration);
            trace.total += u128::from(duration) * u128::from(rate);
            if trace.period > MAX_NS {
                return Err(BadLink::new("trace is longer than ten days; cut it"));
            }
        }
        if trace.starts.is_empty() {
            return Err(BadLink::new("trace is empty; it needs at least one rate"));
        }
        if trace.total == 0 {
            return Err(BadLink::new(
                "trace is all zero, so no packet would ever be sent; use one with some capacity",
            ));
        }
        Ok(trace)
    }

    /// Length in ns, after which the trace repeats.
    pub fn period_ns(&self) -> u64 {
        self.period
    }

    /// Mean rate in bit/s.
    pub fn mean_bps(&self) -> f64 {
        self.total as f64 / self.period as f64
    }

    /// The same with every rate multiplied by `factor`.
    pub fn scaled(&self, factor: f64) -> Result<Trace, BadLink> {
        let scale = |rate: u64| (rate as f64 * factor).round() as u64;
        Trace::from_pieces(self.pieces().map(|(ns, bps)| (ns, scale(bps))))
    }

    /// Pieces of constant rate: duration in ns, and bit/s.
    pub fn pieces(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (0..self.starts.len()).map(|i| (self.end(i) - self.starts[i], self.rates[i]))
    }

    /// Mean rate in bit/s of each whole second, or of the whole trace if it is shorter.
    pub fn per_second(&self) -> Vec<f64> {
        if self.period < SECOND {
            return vec![self.mean_bps()];
        }
        let edges: Vec<u128> = (0..=self.period / SECOND)
            .map(|s| self.work_at(s * SECOND))
            .collect();
        edges
            .windows(2)
            .map(|w| (w[1] - w[0]) as f64 / SECOND as f64)
            .collect()
    }

    fn end(&self, i: usize) -> u64 {
        self.starts.get(i + 1).copied().unwrap_or(self.period)
    }

    /// Integral of the rate from 0 to `t`.
    pub(crate) fn work_at(&self, t: u64) -> u128 {
        let (cycles, within) = (t / self.period, t % self.period);
        let i = self.starts.partition_point(|&start| start <= within) - 1;
        let piece = u128::from(within - self.starts[i]) * u128::from(self.rates[i]);
        u128::from(cycles) * self.total + self.before[i] + piece
    }

    /// The earliest time at which the integral reaches `work`, rounded up to a whole ns.
    pub(crate) fn time_at(&self, work: u128) -> u64 {
        let Some(below) = work.checked_sub(1) else {
            return 0;
        };
        // Counting from work - 1 puts work = total at the end of a cycle, not at the end of a
        // zero-rate piece that follows it.
        let (cycles, rest) = (below / self.total, below % self.total + 1);
        let i = self.before.partition_point(|&before| before < rest) - 1;
        let within = (rest - self.before[i]).div_ceil(u128::from(self.rates[i]));
        let time = cycles * u128::from(self.period) + u128::from(self.starts[i]) + within;
        time.try_into().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::{SECOND, Trace};

    fn trace(pieces: &[(u64, u64)]) -> Trace {
        Trace::from_pieces(pieces.iter().copied()).expect("a good trace")
    }

    #[test]
    fn work_that_begins_before_a_zero_rate_stretch_ends_after_it() {
        let trace = trace(&[(SECOND, 1000), (2 * SECOND, 0), (SECOND, 500)]);
        assert_eq!(trace.time_at(1000 * u128::from(SECOND)), SECOND);
        assert_eq!(
            trace.time_at(1250 * u128::from(SECOND)),
            3 * SECOND + SECOND / 2
        );
    }

    #[test]
    fn a_trace_repeats_with_its_period() {
        let trace = trace(&[(SECOND, 1000), (SECOND, 0)]);
        assert_eq!(trace.work_at(7 * SECOND), 4000 * u128::from(SECOND));
        assert_eq!(
            trace.time_at(3500 * u128::from(SECOND)),
            6 * SECOND + SECOND / 2
        );
    }

    #[test]
    fn a_trace_that_carries_nothing_is_refused() {
        assert!(Trace::from_pieces([(SECOND, 0)]).is_err());
        assert!(Trace::from_pieces([]).is_err());
        assert!(trace(&[(SECOND, 10)]).scaled(0.0).is_err());
    }

    #[test]
    fn seconds_are_means_over_finer_pieces() {
        let trace = trace(&[
            (SECOND / 2, 100),
            (SECOND / 2, 300),
            (SECOND, 0),
            (SECOND / 4, 9),
        ]);
        assert_eq!(trace.per_second(), vec![200.0, 0.0]);
    }
}
