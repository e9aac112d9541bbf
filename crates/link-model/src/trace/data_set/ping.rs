//! What `ping` prints, also the raw part of LENS: `64 bytes from 10.0.0.1: icmp_seq=1 ttl=63
//! time=60.6 ms`. A missing number in `icmp_seq` is a loss.

use super::{DataSet, Probes};

pub(super) const DATA_SET: DataSet = DataSet {
    name: "ping output",
    matches: |sample| sample.text.lines().take(20).any(|line| answer(line).is_some()),
    read: |sample, _| {
        let answers: Vec<(u64, f64)> = sample.text.lines().filter_map(answer).collect();
        let mut numbers: Vec<u64> = answers.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let range = numbers[numbers.len() - 1] - numbers[0] + 1;
        // The number wraps at 2^16; then no loss can be counted.
        let sent = if range < 65_535 { range as usize } else { numbers.len() };
        let probes = Probes {
            rtts_ms: answers.iter().map(|(_, ms)| *ms).collect(),
            sent,
            lost: sent - numbers.len(),
            ..Probes::default()
        };
        probes.settings("ping output")
    },
};

/// The number and round-trip time of an answer, ms.
fn answer(line: &str) -> Option<(u64, f64)> {
    let value = |key: &str| line.split_once(key).map(|(_, rest)| rest.split_whitespace().next().unwrap_or(""));
    let number = value("icmp_seq=")?.parse().ok().filter(|number| *number <= 1 << 32)?;
    let ms = value(" time=")?.trim_end_matches("ms").parse().ok()?;
    (line.contains(" bytes from ") && f64::is_finite(ms) && ms >= 0.0).then_some((number, ms))
}
