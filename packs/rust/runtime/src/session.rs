//! A codec with its corpus: single messages for peers, timed loops for measurements.

use std::hint::black_box;
use std::sync::Arc;

use crate::checksum::Checksum;
use crate::clock::Stopwatch;
use crate::codec::{Codec, Failure, Phase};
use crate::corpus::{Corpus, write_json};

/// Result of a timed loop, in the layout of `wl_timing`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// Wall time of the loop by CLOCK_MONOTONIC, in ns.
    pub wall_ns: u64,
    /// CPU time of the loop by CLOCK_THREAD_CPUTIME_ID, in ns.
    pub cpu_ns: u64,
    /// Number of operations.
    pub operations: u64,
    /// Encoded bytes produced or consumed.
    pub bytes: u64,
    /// Checksum of what every operation read or wrote.
    pub checksum: u64,
}

/// A session of any codec.
pub trait AnySession: Send {
    /// Encodes one message.
    fn encode(&mut self, index: u64) -> Result<&[u8], Failure>;
    /// The checksum of one message's fields.
    fn decode(&mut self, bytes: &[u8]) -> Result<u64, Failure>;
    /// One message as JSON.
    fn to_json(&mut self, bytes: &[u8]) -> Result<&[u8], Failure>;
    /// Times a phase over messages `first .. first + count`.
    fn run(&mut self, phase: Phase, first: u64, count: u64, iterations: u64) -> Result<Timing, Failure>;
}

/// A codec, the corpus, and the encoded corpus.
pub struct Session<C: Codec> {
    codec: C,
    corpus: Arc<Vec<C::Native>>,
    // One allocation per message: zero-copy formats need each message aligned as malloc aligns it.
    encoded: Vec<Box<[u8]>>,
    objects: Vec<C::Object>,
    json: Vec<u8>,
}

impl<C: Codec> Session<C> {
    /// Opens a session and encodes the whole corpus once.
    ///
    /// # Errors
    /// Names the message that the library cannot encode.
    pub fn open(corpus: &Corpus<C::Native>) -> Result<Box<dyn AnySession>, Failure> {
        let mut codec = C::new()?;
        let corpus = corpus.share();
        let mut encoded = Vec::with_capacity(corpus.len());
        for (index, native) in corpus.iter().enumerate() {
            let named = |error| format!("message {index}: {error}");
            C::check(native).map_err(named)?;
            encoded.push(codec.serialize(native).map_err(named)?.into());
        }
        Ok(Box::new(Self { codec, corpus, encoded, objects: Vec::new(), json: Vec::new() }))
    }

    fn populate_all(&mut self) -> Result<(), Failure> {
        if self.objects.is_empty() {
            for native in self.corpus.iter() {
                self.objects.push(self.codec.populate(native)?);
            }
        }
        Ok(())
    }
}

struct Tally {
    bytes: u64,
    checksum: u64,
}

impl Tally {
    #[inline(always)]
    fn add(&mut self, bytes: usize, checksum: u64) {
        self.bytes = self.bytes.wrapping_add(bytes as u64);
        self.checksum = self.checksum.wrapping_add(checksum);
    }
}

/// The timed loop: only the operation and two additions per message.
#[inline(always)]
fn timed<T>(
    items: &[T],
    iterations: u64,
    mut operation: impl FnMut(&T, &mut Tally) -> Result<(), Failure>,
) -> Result<Timing, Failure> {
    let mut tally = Tally { bytes: 0, checksum: 0 };
    let watch = Stopwatch::start();
    for _ in 0..iterations {
        for item in items {
            operation(black_box(item), &mut tally)?;
        }
    }
    let (wall_ns, cpu_ns) = watch.stop();
    let operations = iterations.saturating_mul(items.len() as u64);
    Ok(Timing { wall_ns, cpu_ns, operations, bytes: tally.bytes, checksum: tally.checksum })
}

fn part<T>(items: &[T], first: u64, count: u64) -> Result<&[T], Failure> {
    let range = usize::try_from(first).ok().zip(first.checked_add(count).and_then(|end| usize::try_from(end).ok()));
    range
        .and_then(|(start, end)| items.get(start..end))
        .ok_or_else(|| format!("messages {first} to {first}+{count} of a corpus of {}", items.len()).into())
}

impl<C: Codec> AnySession for Session<C> {
    fn encode(&mut self, index: u64) -> Result<&[u8], Failure> {
        let native = part(&self.corpus, index, 1)?;
        self.codec.serialize(&native[0])
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<u64, Failure> {
        let mut sum = Checksum::default();
        self.codec.decode(bytes, &mut sum)?;
        Ok(sum.value())
    }

    fn to_json(&mut self, bytes: &[u8]) -> Result<&[u8], Failure> {
        let native = self.codec.convert(bytes)?;
        self.json.clear();
        write_json(&native, &mut self.json)?;
        Ok(&self.json)
    }

    fn run(&mut self, phase: Phase, first: u64, count: u64, iterations: u64) -> Result<Timing, Failure> {
        if !C::PHASES.contains(&phase) {
            return Err(format!("this codec has no {phase:?} phase").into());
        }
        // A codec without library objects encodes native ones, so encode and serialize are the
        // same.
        let from_objects = phase == Phase::Encode && C::PHASES.contains(&Phase::Populate);
        if from_objects {
            self.populate_all()?;
        }
        let codec = &mut self.codec;
        match phase {
            Phase::Encode if from_objects => timed(part(&self.objects, first, count)?, iterations, |object, tally| {
                let bytes = black_box(codec.encode(object)?);
                tally.add(bytes.len(), bytes.len() as u64);
                Ok(())
            }),
            Phase::Encode | Phase::Serialize => {
                timed(part(&self.corpus, first, count)?, iterations, |native, tally| {
                    let bytes = black_box(codec.serialize(native)?);
                    tally.add(bytes.len(), bytes.len() as u64);
                    Ok(())
                })
            }
            Phase::Populate => timed(part(&self.corpus, first, count)?, iterations, |native, _| {
                black_box(codec.populate(native)?);
                Ok(())
            }),
            Phase::Access => timed(part(&self.encoded, first, count)?, iterations, |bytes, tally| {
                tally.add(bytes.len(), 0);
                // SAFETY: `encoded` was written by this codec's encoder when the session was
                // opened.
                unsafe { codec.access(bytes) }
            }),
            Phase::AccessValidated => timed(part(&self.encoded, first, count)?, iterations, |bytes, tally| {
                tally.add(bytes.len(), 0);
                codec.access_validated(bytes)
            }),
            Phase::Decode | Phase::Deserialize => {
                timed(part(&self.encoded, first, count)?, iterations, |bytes, tally| {
                    let mut sum = Checksum::default();
                    codec.decode(bytes, &mut sum)?;
                    tally.add(bytes.len(), sum.value());
                    Ok(())
                })
            }
            Phase::Convert => timed(part(&self.encoded, first, count)?, iterations, |bytes, tally| {
                tally.add(bytes.len(), 0);
                black_box(codec.convert(bytes)?);
                Ok(())
            }),
        }
    }
}
