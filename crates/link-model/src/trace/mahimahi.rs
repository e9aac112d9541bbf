//! The mahimahi format (Netravali et al., USENIX ATC 2015): each line is the ms at which 1,500
//! bytes may be sent.
//!
//! A line at ms k becomes capacity for 1,500 bytes within (k - 1, k]. So the integral of the rate
//! equals mahimahi's count at every ms, stalls shorter than a second are kept, and no bin width is
//! needed.

use super::lines::{content_lines, excerpt};
use super::{MAX_NS, Trace};
use crate::error::BadLink;

const MS: u64 = 1_000_000;
/// 1,500 bytes within a ms, in bit/s.
const OPPORTUNITY_BPS: u64 = 12_000_000;

/// The trace of a file, and what is odd in it.
pub(super) fn parse(text: &str, sort: bool) -> Result<(Trace, Vec<String>), BadLink> {
    let mut parse_opportunities = parse_opportunities(text)?;
    if sort {
        parse_opportunities.sort_by_key(|&(_, ms)| ms);
    }
    let mut counts: Vec<(u64, u64)> = Vec::new();
    for (number, ms) in parse_opportunities {
        if ms > MAX_NS / MS {
            return Err(BadLink::new(format!(
                "trace line {number}: {ms} ms is beyond ten days; cut the trace"
            )));
        }
        match counts.last_mut() {
            Some((last, count)) if *last == ms => *count += 1,
            Some((last, _)) if *last > ms => {
                return Err(BadLink::new(format!(
                    "trace line {number}: time goes back from {last} to {ms} ms; sort it, or `import --clean order=sort`; rates of one column need `import --unit` and --step"
                )));
            }
            _ => counts.push((ms, 1)),
        }
    }
    let Some(&(period, _)) = counts.last().filter(|&&(ms, _)| ms > 0) else {
        return Err(BadLink::new(
            "trace ends at 0 ms; it needs a length of at least 1 ms",
        ));
    };
    let notes = match counts[0] {
        (0, count) => vec![format!(
            "{count} opportunities at 0 ms count at the end of each repetition, as in mahimahi"
        )],
        _ => Vec::new(),
    };
    Ok((Trace::from_pieces(make_pieces(&counts, period))?, notes))
}

/// The line number and ms of every sending opportunity.
fn parse_opportunities(text: &str) -> Result<Vec<(usize, u64)>, BadLink> {
    let parse_line = |(number, line): (usize, &str)| match line.parse() {
        Ok(ms) => Ok((number, ms)),
        Err(_) => Err(BadLink::new(format!(
            "trace line {number}: '{}' is not a whole number of ms (mahimahi format); rates of one column need `import --unit` and --step",
            excerpt(line)
        ))),
    };
    content_lines(text).map(parse_line).collect()
}

/// Pieces of one period. Opportunities at ms 0 count at the end of the previous period.
fn make_pieces(counts: &[(u64, u64)], period: u64) -> Vec<(u64, u64)> {
    let at_zero = if counts[0].0 == 0 { counts[0].1 } else { 0 };
    let mut make_pieces = Vec::with_capacity(2 * counts.len());
    let mut end = 0;
    for &(ms, count) in counts.iter().filter(|&&(ms, _)| ms > 0) {
        let count = if ms == period { count + at_zero } else { count };
        make_pieces.push(((ms - 1 - end) * MS, 0));
        make_pieces.push((MS, count * OPPORTUNITY_BPS));
        end = ms;
    }
    make_pieces
}

#[cfg(test)]
mod tests {
    use crate::service_curve::{ServiceCurve, Transmitter};
    use std::sync::Arc;

    fn finishes(text: &str, packets: usize) -> Vec<u64> {
        let trace = super::parse(text, false).expect("a good trace").0;
        let mut transmitter = Transmitter::new(ServiceCurve::Trace {
            trace: Arc::new(trace),
            offset_ns: 0,
        });
        (0..packets)
            .map(|_| transmitter.finish(0, 1500) / super::MS)
            .collect()
    }

    #[test]
    fn full_packets_leave_at_exactly_the_listed_ms_and_the_trace_repeats() {
        assert_eq!(finishes("3\n5\n5\n9\n", 6), vec![3, 4, 5, 9, 12, 13]);
        assert_eq!(finishes("3\n9\n", 4), vec![3, 9, 12, 18]);
    }

    #[test]
    fn chances_at_ms_0_count_when_the_trace_comes_round() {
        assert_eq!(finishes("0\n4\n", 3), vec![3, 4, 7]);
    }

    #[test]
    fn a_trace_that_makes_no_sense_is_refused_with_its_line() {
        let said = |text: &str| super::parse(text, false).unwrap_err().to_string();
        assert_eq!(
            said("5\n4\n"),
            "trace line 2: time goes back from 5 to 4 ms; sort it, or `import --clean order=sort`; rates of one column need `import --unit` and --step"
        );
        assert_eq!(
            said("5\nx\n"),
            "trace line 2: 'x' is not a whole number of ms (mahimahi format); rates of one column need `import --unit` and --step"
        );
        assert_eq!(
            said("0\n0\n"),
            "trace ends at 0 ms; it needs a length of at least 1 ms"
        );
        assert!(said("-5\n").contains("not a whole number"));
    }
}
