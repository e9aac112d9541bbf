//! What `ping` prints, on any system: `64 bytes from 10.0.0.1: icmp_seq=1 ttl=63 time=60.6 ms`,
//! Windows in any language, hping, and the raw part of LENS. The summary says what was lost.
//! Without one, a missing number in `icmp_seq` is a loss.

use super::{DataSet, Probes, Summary};

const NAME: &str = "ping output";
/// What Windows writes as `<1ms`.
const BELOW_1_MS: f64 = 0.5;

pub(super) const DATA_SET: DataSet = DataSet {
    name: NAME,
    matches: |sample| {
        let mut lines = sample.text.lines().filter(|line| !line.trim().is_empty()).take(40);
        lines.any(|line| answer(line).is_some() || counts(line).is_some())
    },
    read: |sample, _| {
        let (copies, answers): (Vec<Answer>, Vec<Answer>) =
            sample.text.lines().filter_map(answer).partition(|answer| answer.is_copy);
        let numbers: Vec<u64> = answers.iter().filter_map(|answer| answer.number).collect();
        let totals: Vec<(usize, usize)> = sample.text.lines().filter_map(counts).collect();
        let (sent, received) = match totals.as_slice() {
            [] if numbers.is_empty() => (answers.len(), answers.len()),
            [] => by_numbers(numbers),
            totals => totals.iter().fold((0, 0), |(sent, received), one| (sent + one.0, received + one.1)),
        };
        let mut probes = Probes {
            rtts_ms: answers.iter().map(|answer| answer.ms).collect(),
            sent,
            lost: sent.saturating_sub(received),
            ..Probes::default()
        };
        if answers.is_empty() {
            probes.summary = sample.text.lines().find_map(|line| times(line, received));
        }
        if !copies.is_empty() {
            probes.notes.push(format!("{} duplicates are left out; duplicate= makes them", copies.len()));
        }
        let below = answers.iter().filter(|answer| answer.ms == BELOW_1_MS).count();
        if below > 0 {
            probes.notes.push(format!("{below} times below 1 ms count as {BELOW_1_MS} ms"));
        }
        if totals.is_empty() && answers.iter().all(|answer| answer.number.is_none()) {
            probes.notes.push("losses are not known, as no summary follows".into());
        }
        probes.settings(NAME)
    },
};

struct Answer {
    number: Option<u64>,
    ms: f64,
    is_copy: bool,
}

/// The probe and round-trip time of an answer.
fn answer(line: &str) -> Option<Answer> {
    let is_answer = line.contains(" bytes from ") || line.contains("TTL=") || line.contains(" flags=");
    let (ms, is_below) = is_answer.then(|| milliseconds(line))??;
    let after = |key: &str| line.split_once(key).map(|(_, rest)| rest.split_whitespace().next().unwrap_or(""));
    let number = after("icmp_seq=").or(after(" seq=")).and_then(|number| number.trim_end_matches(',').parse().ok());
    Some(Answer {
        number: number.filter(|number| *number <= 1 << 32),
        ms: if is_below { BELOW_1_MS } else { ms },
        is_copy: line.contains("(DUP!)"),
    })
}

/// The first time in ms behind `=` or `<`, and whether it is `<`.
fn milliseconds(line: &str) -> Option<(f64, bool)> {
    line.match_indices(['=', '<']).find_map(|(at, sign)| {
        let rest = &line[at + 1..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let ms = rest[..end].parse().ok().filter(|ms: &f64| ms.is_finite())?;
        rest[end..].trim_start().starts_with("ms").then_some((ms, sign == "<"))
    })
}

/// The packets sent and received of a summary.
fn counts(line: &str) -> Option<(usize, usize)> {
    if let Some((sent, rest)) = line.split_once(" packets transmitted, ") {
        return Some((sent.trim().parse().ok()?, rest.split_whitespace().next()?.parse().ok()?));
    }
    // Windows, in its language: `Packets: Sent = 4, Received = 3, Lost = 1 (25% loss),`
    let numbers: Vec<usize> = line
        .split(" = ")
        .skip(1)
        .map_while(|part| part.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
        .collect();
    match numbers.as_slice() {
        [sent, received, lost] if received.checked_add(*lost) == Some(*sent) => Some((*sent, *received)),
        _ => None,
    }
}

/// The mean and the deviation of `rtt min/avg/max/mdev = 10.1/12.4/34.5/3.2 ms`.
fn times(line: &str, answered: usize) -> Option<Summary> {
    let (names, values) = line.split_once("min/avg/max")?.1.split_once(" = ")?;
    let values: Vec<f64> = values.split_whitespace().next()?.split('/').map_while(|value| value.parse().ok()).collect();
    let deviation = if names.is_empty() { 0.0 } else { *values.get(3)? };
    Some(Summary { answered, mean_ms: *values.get(1)?, deviation_ms: deviation })
}

/// The probes sent and answered by the numbers of the answers.
fn by_numbers(mut numbers: Vec<u64>) -> (usize, usize) {
    numbers.sort_unstable();
    numbers.dedup();
    let range = numbers[numbers.len() - 1] - numbers[0] + 1;
    // The number wraps at 2^16; then no loss can be counted.
    let sent = if range < 65_535 { range as usize } else { numbers.len() };
    (sent, numbers.len())
}
