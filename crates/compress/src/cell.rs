//! One cell of the matrix: codec, method and batch size; its bytes and times.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use serde::Serialize;
use wirelab_codec::framing::append;

use crate::messages::Messages;
use crate::method::{Method, Squeezer};

/// The output for a cell. Bytes and times are per message, also for batches.
#[derive(Serialize)]
pub struct Line<'a> {
    codec: &'a str,
    method: Method,
    level: i32,
    /// Number of messages compressed together; with several, each is preceded by its length as a
    /// varint.
    batch: usize,
    /// Index in the corpus of the first measured message, and how many were measured: whole batches
    /// only.
    first: usize,
    messages: usize,
    mean_bytes: f64,
    least_bytes: f64,
    most_bytes: f64,
    /// Thread CPU time; absent for `none`.
    compress_ns: Option<f64>,
    decompress_ns: Option<f64>,
    dictionary_bytes: usize,
    trained_on: usize,
    /// Why the cell was not measured.
    #[serde(skip_serializing_if = "String::is_empty")]
    skipped: String,
}

/// A cell and its messages.
pub struct Cell<'a> {
    messages: &'a Messages,
    /// The output so far.
    pub line: Line<'a>,
}

impl<'a> Cell<'a> {
    /// A cell that is not measured yet.
    pub fn new(messages: &'a Messages, method: Method, batch: usize) -> Self {
        let of_dictionary = method == Method::ZstdDict;
        let dictionary = messages.dictionary.as_ref().map_or(0, Vec::len);
        let line = Line {
            codec: &messages.codec,
            method,
            level: method.level(),
            batch,
            first: messages.first,
            messages: 0,
            mean_bytes: 0.0,
            least_bytes: 0.0,
            most_bytes: 0.0,
            compress_ns: None,
            decompress_ns: None,
            dictionary_bytes: if of_dictionary { dictionary } else { 0 },
            trained_on: if of_dictionary {
                messages.trained_on
            } else {
                0
            },
            skipped: String::new(),
        };
        Self { messages, line }
    }

    /// Measures it, or records why not.
    pub fn measure(&mut self, seconds: f64) -> Result<(), String> {
        self.line.skipped = self.obstacle();
        if !self.line.skipped.is_empty() {
            return Ok(());
        }
        let units = batches(&self.messages.measured, self.line.batch);
        let dictionary = self.messages.dictionary.as_deref().unwrap_or_default();
        let mut squeezer = Squeezer::new(self.line.method, dictionary)?;
        // The first message has no previous one and is not measured.
        let first = usize::from(self.line.method == Method::ZstdPrev);
        let mut small = Vec::with_capacity(units.len());
        let (mut out, mut back) = (Vec::new(), Vec::new());
        for (at, unit) in units.iter().enumerate().skip(first) {
            let before = before(&units, at);
            squeezer.compress(unit, before, &mut out)?;
            squeezer.decompress(&out, before, unit.len(), &mut back)?;
            if back != *unit {
                return Err(format!(
                    "{}: {:?} does not restore the bytes",
                    self.line.codec, self.line.method
                ));
            }
            small.push(out.clone());
        }
        self.sizes(&small);
        if self.line.method != Method::None {
            let each = 1.0 / self.line.messages as f64;
            let compress = timed(seconds, || {
                for (at, unit) in units.iter().enumerate().skip(first) {
                    squeezer.compress(unit, before(&units, at), &mut out)?;
                }
                Ok(())
            })?;
            let decompress = timed(seconds, || {
                for (at, unit) in units.iter().enumerate().skip(first) {
                    squeezer.decompress(
                        &small[at - first],
                        before(&units, at),
                        unit.len(),
                        &mut back,
                    )?;
                }
                Ok(())
            })?;
            self.line.compress_ns = Some(compress * each);
            self.line.decompress_ns = Some(decompress * each);
        }
        Ok(())
    }

    fn obstacle(&self) -> String {
        let (count, batch) = (self.messages.measured.len(), self.line.batch);
        match (self.line.method, &self.messages.dictionary) {
            (Method::ZstdDict, Err(why)) => why.clone(),
            (Method::ZstdPrev, _) if count < 2 => "there is no previous message".into(),
            _ if count < batch => format!("{count} messages are fewer than a batch of {batch}"),
            _ => String::new(),
        }
    }

    fn sizes(&mut self, small: &[Vec<u8>]) {
        let each = |bytes: usize| bytes as f64 / self.line.batch as f64;
        let sizes = || small.iter().map(Vec::len);
        self.line.messages = small.len() * self.line.batch;
        self.line.mean_bytes = sizes().sum::<usize>() as f64 / self.line.messages as f64;
        self.line.least_bytes = each(sizes().min().unwrap_or(0));
        self.line.most_bytes = each(sizes().max().unwrap_or(0));
    }
}

fn before(units: &[Vec<u8>], at: usize) -> &[u8] {
    at.checked_sub(1).map_or(&[], |index| &units[index])
}

/// Whole batches; each message in a batch is preceded by its length as a base-128 varint.
fn batches(messages: &[Vec<u8>], size: usize) -> Vec<Vec<u8>> {
    if size == 1 {
        return messages.to_vec();
    }
    let framed = |batch: &[Vec<u8>]| {
        let mut out = Vec::new();
        for message in batch {
            append(&mut out, message);
        }
        out
    };
    messages.chunks_exact(size).map(framed).collect()
}

/// Mean CPU time of one pass in ns, over as many passes as fit into `seconds`, at least one.
fn timed(seconds: f64, mut pass: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let (begin, mut passes) = (cpu()?, 0_u32);
    loop {
        pass()?;
        passes += 1;
        let spent = (cpu()? - begin).as_secs_f64();
        if spent >= seconds {
            return Ok(spent * 1e9 / f64::from(passes));
        }
    }
}

fn cpu() -> Result<Duration, String> {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map(Duration::from)
        .map_err(|error| format!("the thread's CPU clock: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_in_a_batch_stand_behind_their_length() {
        let messages = [vec![7; 3], vec![8; 200], vec![9]];
        let found = batches(&messages, 2);
        let expected = [&[3, 7, 7, 7, 0xc8, 1][..], &[8; 200]].concat();
        assert_eq!(found, [expected]);
        assert_eq!(batches(&messages, 1), messages);
    }
}
