//! Scheduled outages of a trace.

use super::{MAX_NS, Trace};
use crate::error::BadLink;

/// Limit of pieces when a trace is repeated until its end coincides with the end of a period; 32 B
/// each.
const MAX_PIECES: u64 = 250_000;
/// Limit of outages in one pass of the trace.
const MAX_OUTAGES: u64 = 100_000;

/// Recurring periods without capacity. The trace's capacity during an outage is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutageSpec {
    /// From the start of one outage to the start of the next, ns.
    pub period_ns: u64,
    /// Start of the first, ns; it ends within the period.
    pub at_ns: u64,
    /// Length, ns.
    pub length_ns: u64,
}

impl OutageSpec {
    /// Fraction of time outside outages.
    pub fn open_share(&self) -> f64 {
        1.0 - self.length_ns as f64 / self.period_ns as f64
    }

    /// Split the time from `from` to `to` at the starts and ends of outages: duration in ns, and
    /// whether there is capacity.
    fn stretches(self, from: u64, to: u64) -> impl Iterator<Item = (u64, bool)> {
        let mut t = from;
        std::iter::from_fn(move || {
            let since = (t % self.period_ns + self.period_ns - self.at_ns) % self.period_ns;
            let open = since >= self.length_ns;
            let left = if open { self.period_ns } else { self.length_ns } - since;
            let ns = left.min(to - t);
            t += ns;
            (ns > 0).then_some((ns, open))
        })
    }
}

impl Trace {
    /// The same with outages. The trace is repeated until its end coincides with the end of a
    /// period, up to ten days and 250,000 pieces; then both start again.
    ///
    /// Errors if outages are too many or too far apart for the trace, or leave no capacity.
    pub fn interrupted(&self, outage: OutageSpec) -> Result<Trace, BadLink> {
        let each = self.period / outage.period_ns;
        if each > MAX_OUTAGES {
            return Err(BadLink::new(format!(
                "outages occur {each} times in this trace, more than 100000; give a longer period"
            )));
        }
        let together = outage.period_ns / common_divisor(self.period, outage.period_ns);
        let pieces = self.rates.len() as u64 + 2 * (each + 1);
        let times = together
            .min(MAX_PIECES / pieces)
            .min(MAX_NS / self.period)
            .max(1);
        if times * self.period < outage.period_ns {
            return Err(BadLink::new(
                "the period of the outage is too long for this trace; give a shorter period, or use handover",
            ));
        }
        let mut end = 0;
        let repeated = (0..times).flat_map(|_| self.pieces());
        Trace::from_pieces(repeated.flat_map(|(ns, bps)| {
            end += ns;
            let stretches = outage.stretches(end - ns, end);
            stretches.map(move |(ns, open)| (ns, if open { bps } else { 0 }))
        }))
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::{MAX_PIECES, OutageSpec};
    use crate::trace::{SECOND, Trace};

    fn every(period_s: u64, at_s: u64, length_s: u64) -> OutageSpec {
        let [period_ns, at_ns, length_ns] = [period_s, at_s, length_s].map(|s| s * SECOND);
        OutageSpec {
            period_ns,
            at_ns,
            length_ns,
        }
    }

    fn trace(pieces: &[(u64, u64)]) -> Trace {
        let pieces = pieces.iter().map(|&(s, bps)| (s * SECOND, bps));
        Trace::from_pieces(pieces).expect("a good trace")
    }

    #[test]
    fn a_trace_goes_on_behind_an_outage_and_what_it_had_meanwhile_is_gone() {
        let found = trace(&[(2, 10), (2, 0), (2, 30)]).interrupted(every(3, 1, 1));
        assert_eq!(found, Ok(trace(&[(1, 10), (4, 0), (1, 30)])));
    }

    #[test]
    fn a_trace_is_repeated_until_it_ends_together_with_a_period() {
        let found = trace(&[(2, 10), (1, 20)]).interrupted(every(2, 1, 1));
        assert_eq!(
            found,
            Ok(trace(&[(1, 10), (1, 0), (1, 20), (1, 0), (1, 10), (1, 0)]))
        );
    }

    #[test]
    fn a_trace_that_never_ends_together_with_a_period_begins_anew_with_it() {
        // 100,000 s and 7 ns have no common end within ten days.
        let outage = OutageSpec {
            period_ns: 7 * SECOND + 1,
            at_ns: 0,
            length_ns: SECOND,
        };
        let found = trace(&[(100_000, 10)])
            .interrupted(outage)
            .expect("a trace");
        assert_eq!(found.period_ns(), 800_000 * SECOND);
        assert!(found.pieces().count() as u64 <= MAX_PIECES);
    }

    #[test]
    fn outages_that_do_not_fit_a_trace_are_refused() {
        let said = |trace: Trace, outage| trace.interrupted(outage).unwrap_err().to_string();
        let aligned = said(trace(&[(1, 0), (1, 10)]), every(2, 1, 1));
        assert!(
            aligned.contains("no packet would ever be sent"),
            "{aligned}"
        );
        let tiny = OutageSpec {
            period_ns: 2000,
            at_ns: 0,
            length_ns: 1,
        };
        assert!(said(trace(&[(1, 10)]), tiny).contains("500000 times"));
        let fine = Trace::from_pieces((0..200_000).map(|i| (1000, i % 2))).expect("a trace");
        assert!(said(fine, every(86_400, 0, 1)).contains("too long for this trace"));
    }
}
