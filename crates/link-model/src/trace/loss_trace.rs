//! Recorded loss over time.

use super::lines::{content_lines, decode_text};
use super::rows::{self, Row};
use crate::error::BadLink;
use crate::units;

/// Piecewise-constant loss probability over time, repeated forever.
#[derive(Debug, Clone, PartialEq)]
pub struct LossTrace {
    /// Start of each piece, ns; the first is 0.
    starts: Vec<u64>,
    shares: Vec<f64>,
    period: u64,
}

impl LossTrace {
    /// Parse lines of `seconds share`, the share from 0 to 1 or in percent (`5%`). Each holds until
    /// the next line's time.
    pub fn parse(bytes: &[u8]) -> Result<LossTrace, BadLink> {
        let mut rows = Vec::new();
        for (number, line) in content_lines(&decode_text(bytes)?) {
            let (time, share) = rows::split_fields(number, line, "seconds share")?;
            let value = units::parse_fraction("loss", share)
                .map_err(|e| BadLink::new(format!("trace line {number}: {e}")))?;
            rows.push(Row {
                line: number,
                seconds: rows::seconds(number, time)?,
                value,
                invalid_text: String::new(),
            });
        }
        let mut trace = LossTrace {
            starts: vec![],
            shares: vec![],
            period: 0,
        };
        for (length, share) in rows::row_durations(&rows, None)? {
            if length > 0 {
                trace.starts.push(trace.period);
                trace.shares.push(share);
                trace.period += length;
            }
        }
        Ok(trace)
    }

    /// Loss probability at trace time `t`.
    pub fn at(&self, t: u64) -> f64 {
        let within = t % self.period;
        self.shares[self.starts.partition_point(|&start| start <= within) - 1]
    }

    /// Mean loss probability over time.
    pub fn mean(&self) -> f64 {
        let ends = self.starts.iter().skip(1).chain([&self.period]);
        let weighted = self.starts.iter().zip(ends).zip(&self.shares);
        weighted
            .map(|((start, end), share)| (end - start) as f64 * share)
            .sum::<f64>()
            / self.period as f64
    }

    /// Length in ns, after which the trace repeats.
    pub fn period_ns(&self) -> u64 {
        self.period
    }

    /// The same with every probability multiplied by `factor`, at most 1.
    pub(crate) fn scaled(&self, factor: f64) -> LossTrace {
        let shares = self.shares.iter().map(|share| (share * factor).min(1.0));
        LossTrace {
            shares: shares.collect(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LossTrace;

    #[test]
    fn a_share_holds_until_the_next_time_and_the_trace_repeats() {
        let trace = LossTrace::parse(b"0 10%\n1 0.5\n4 0\n").expect("a trace");
        // The last line lasts as long as the mean of the others: 2 s.
        assert_eq!(trace.period_ns(), 6_000_000_000);
        let at = [0, 1_000_000_000, 5_999_999_999, 6_000_000_000].map(|t| trace.at(t));
        assert_eq!(at, [0.1, 0.5, 0.0, 0.1]);
        assert!((trace.mean() - 1.6 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_share_is_refused_with_its_line() {
        let said = |text: &str| LossTrace::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(said("0 0.1\n1 1.1\n").starts_with("trace line 2: loss '1.1' is above 100 %"));
        assert_eq!(
            said("0 0.1\n1\n"),
            "trace line 2: '1' is not 'seconds share'"
        );
        assert!(said("").contains("empty"));
        assert!(said("1 0\n0 0\n").contains("time goes back"));
    }
}
