//! Times each message on its own, one call at a time, as a program that rarely sends would call.
//!
//! `bench` times many operations together. That is accurate to the nanosecond but says nothing
//! about a single call. Here a clock is read before and after every call; the cost of reading it is
//! reported, and not subtracted.

use std::time::Instant;

use serde::Serialize;
use wirelab_codec::{Error, Session};

use crate::random::Random;
use crate::{Loaded, print};

/// Minimum number of timed calls.
const CALLS: usize = 2_000;

#[derive(Serialize)]
struct Line<'a> {
    codec: &'a str,
    /// `encode` or `decode`: one call of the ABI, with all fields read.
    call: &'static str,
    calls: usize,
    /// Wall time of a call, in ns.
    p50_ns: f64,
    p90_ns: f64,
    p99_ns: f64,
    /// Median wall time of reading the clock twice, in ns.
    clock_ns: f64,
}

/// Times each codec's single calls, with messages in random order, and prints a line per direction.
pub fn run(loaded: &Loaded, seed: u64) -> Result<(), Error> {
    let mut random = Random::new(seed);
    for codec in &loaded.codecs {
        let mut session = loaded.corpus.session(codec)?;
        let mut encoded = Vec::new();
        for index in 0..session.len() {
            encoded.push(session.encode(index)?.to_vec());
        }
        let rounds = CALLS.div_ceil(encoded.len());
        let (mut encode, mut decode, mut clock) = (Vec::new(), Vec::new(), Vec::new());
        let mut order: Vec<usize> = (0..encoded.len()).collect();
        for _ in 0..=rounds {
            random.shuffle(&mut order);
            for &index in &order {
                let (sent, read, idle) = once(&mut session, index, &encoded[index])?;
                encode.push(sent);
                decode.push(read);
                clock.push(idle);
            }
        }
        // The first round is the warm-up.
        for (call, times) in [("encode", encode), ("decode", decode)] {
            print(&line(codec, call, &times[encoded.len()..], &clock))?;
        }
    }
    Ok(())
}

fn once(session: &mut Session, index: usize, bytes: &[u8]) -> Result<(u64, u64, u64), Error> {
    let begin = Instant::now();
    session.encode(index)?;
    let sent = begin.elapsed();
    let begin = Instant::now();
    session.decode(bytes)?;
    let read = begin.elapsed();
    let begin = Instant::now();
    let idle = begin.elapsed();
    Ok((
        sent.as_nanos() as u64,
        read.as_nanos() as u64,
        idle.as_nanos() as u64,
    ))
}

fn line<'a>(codec: &'a str, call: &'static str, times: &[u64], clock: &[u64]) -> Line<'a> {
    Line {
        codec,
        call,
        calls: times.len(),
        p50_ns: quantile(times, 0.5),
        p90_ns: quantile(times, 0.9),
        p99_ns: quantile(times, 0.99),
        clock_ns: quantile(clock, 0.5),
    }
}

/// The smallest value that at least this share of the values does not exceed.
fn quantile(values: &[u64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1] as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_a_value_that_was_seen() {
        let values: Vec<u64> = (1..=200).rev().collect();
        assert_eq!(quantile(&values, 0.5), 100.0);
        assert_eq!(quantile(&values, 0.99), 198.0);
        assert_eq!(quantile(&[7], 0.99), 7.0);
    }
}
