//! What `iperf` and `iperf3` print: `[  5]   0.00-1.00   sec  11.2 MBytes  94.1 Mbits/sec`.

use super::{Content, DataSet};
use crate::error::BadLink;
use crate::trace::unit::Unit;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "iperf output",
    matches: |sample| sample.text.lines().take(40).any(|line| interval(line).is_some()),
    read: |sample, _| {
        let all: Vec<Interval> = sample.text.lines().filter_map(interval).collect();
        let is_sum = all.iter().any(|interval| interval.stream == "SUM");
        let first = if is_sum { "SUM" } else { all[0].stream };
        if !is_sum && all.iter().any(|interval| interval.stream != first) {
            return Err(BadLink::new(
                "iperf's output has several streams without a [SUM]; give that of one stream",
            ));
        }
        let mut pieces = Vec::new();
        let mut end = 0.0;
        // The summary at the end begins at 0 again.
        for interval in all.iter().filter(|interval| interval.stream == first) {
            if interval.start + 1e-9 < end {
                break;
            }
            pieces.push((((interval.end - interval.start) * 1e9).round() as u64, interval.bps.round() as u64));
            end = interval.end;
        }
        let mut notes = vec!["rates: those of each interval, with the unit printed".into()];
        notes.extend(sent_by_udp(sample.text));
        Ok(Content::Pieces(pieces, notes))
    },
};

struct Interval<'a> {
    stream: &'a str,
    start: f64,
    end: f64,
    bps: f64,
}

/// What a UDP sender's rates are, and what of them was lost.
fn sent_by_udp(text: &str) -> Option<String> {
    let header = text.lines().find(|line| line.contains(" ID]") && line.contains("Interval"))?;
    let is_sender = header.contains("Datagrams") && !header.contains("Lost/");
    let percent = |line: &str| line.rsplit_once("%)")?.0.rsplit_once('(')?.1.parse().ok();
    let lost: Option<f64> = text.lines().rev().find_map(percent);
    is_sender.then(|| udp_note(lost))
}

/// The note on rates that a UDP sender sent, of which a share in % was lost.
pub(super) fn udp_note(lost: Option<f64>) -> String {
    let lost = lost.map_or("what was lost is not known".into(), |lost| format!("{lost}% of it was lost"));
    format!("rates: what a UDP sender sent; {lost}; the server's output has what arrived")
}

/// An interval in a line, behind a title or a time stamp too.
fn interval(line: &str) -> Option<Interval<'_>> {
    line.match_indices('[').find_map(|(at, _)| bracketed(&line[at + 1..]))
}

fn bracketed(line: &str) -> Option<Interval<'_>> {
    let (stream, rest) = line.split_once(']')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "sec")?;
    // Older versions print `0.0- 1.0 sec`.
    let times = words[..at].concat();
    let times = times.rsplit_once(']').map_or(times.as_str(), |(_, times)| times);
    let (start, end) = times.trim_start_matches(|c: char| !c.is_ascii_digit()).split_once('-')?;
    let unit = words.iter().rposition(|word| matches!(Unit::parse(word), Ok(Unit::Rate(_))))?;
    let Ok(Unit::Rate(factor)) = Unit::parse(words[unit]) else {
        return None;
    };
    let number: f64 = words.get(unit.checked_sub(1)?)?.parse().ok().filter(|n: &f64| *n >= 0.0)?;
    let (start, end): (f64, f64) = (start.parse().ok()?, end.parse().ok()?);
    let bps = number * factor;
    (start >= 0.0 && end > start && end < 1e9 && bps <= 1e12).then_some(Interval { stream: stream.trim(), start, end, bps })
}
