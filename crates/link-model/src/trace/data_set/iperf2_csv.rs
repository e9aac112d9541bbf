//! `iperf -y C` of iperf 2: date, addresses and ports, stream, interval, bytes, bit/s.

use super::{Content, DataSet};
use crate::error::BadLink;
use crate::trace::lines::{content_lines, excerpt};

pub(super) const DATA_SET: DataSet = DataSet {
    name: "iperf CSV",
    matches: |sample| {
        let mut lines = content_lines(sample.text).take(20).peekable();
        lines.peek().is_some() && lines.all(|(_, line)| interval(line).is_some())
    },
    read: |sample, _| {
        let mut pieces = Vec::new();
        let (mut end, mut stream) = (0.0, None);
        for (number, line) in content_lines(sample.text) {
            let found = interval(line).ok_or_else(|| {
                BadLink::new(format!("line {number}: '{}' is not an interval", excerpt(line)))
            })?;
            if *stream.get_or_insert(found.stream) != found.stream {
                return Err(BadLink::new("it has several streams; give the lines of one"));
            }
            // The summary at the end starts at 0 again.
            if found.start + 1e-9 < end {
                break;
            }
            pieces.push((((found.end - found.start) * 1e9).round() as u64, found.bps));
            end = found.end;
        }
        Ok(Content::Pieces(
            pieces,
            vec!["rates: the last column, bit/s".into()],
        ))
    },
};

struct Interval<'a> {
    stream: &'a str,
    start: f64,
    end: f64,
    bps: u64,
}

fn interval(line: &str) -> Option<Interval<'_>> {
    let fields: Vec<&str> = line.split(',').collect();
    let [date, _, _, _, _, stream, times, bytes, bps, ..] = fields[..] else {
        return None;
    };
    let digits = date.bytes().take_while(u8::is_ascii_digit).count();
    let is_date = digits >= 14 && date.starts_with("20");
    let (start, end) = times.split_once('-')?;
    let (start, end): (f64, f64) = (start.trim().parse().ok()?, end.trim().parse().ok()?);
    bytes.parse::<u64>().ok()?;
    let bps = bps.parse().ok()?;
    (is_date && start >= 0.0 && end > start && end < 1e9).then_some(Interval { stream, start, end, bps })
}
