//! A codec and the loop that times it: batches of the whole corpus, on the thread's CPU clock.

use std::hint::black_box;
use std::str::FromStr;

use serde::de::DeserializeOwned;

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// One library, used by hand.
pub trait Codec: Sized {
    /// The message as the application holds it.
    type Message: DeserializeOwned;

    fn new() -> Result<Self, Failure>;
    /// The message's bytes, in a buffer that is used again for the next one.
    fn serialize(&mut self, message: &Self::Message) -> Result<&[u8], Failure>;
    fn deserialize(&mut self, bytes: &[u8]) -> Result<Self::Message, Failure>;
}

const BATCHES: u32 = 10;

/// What to do with a codec.
pub enum Task {
    Bytes,
    Time { seconds: f64 },
    Repeat { phase: String, times: u64 },
}

impl FromStr for Task {
    type Err = Failure;

    fn from_str(word: &str) -> Result<Self, Failure> {
        if word == "bytes" {
            return Ok(Self::Bytes);
        }
        Ok(match word.split_once(':') {
            Some((phase, times)) => Self::Repeat { phase: phase.into(), times: times.parse()? },
            None => Self::Time { seconds: word.parse()? },
        })
    }
}

/// Do it with every message.
pub fn work<C: Codec>(name: &str, text: &str, task: &Task) -> Result<(), Failure> {
    let mut codec = C::new()?;
    let corpus: Vec<C::Message> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut encoded: Vec<Box<[u8]>> = Vec::new();
    for message in &corpus {
        encoded.push(codec.serialize(message)?.into());
    }
    let (codec, second) = (&mut codec, &mut C::new()?);
    let serialize = |message: &C::Message| {
        black_box(codec.serialize(message)?);
        Ok(())
    };
    let convert = |bytes: &Box<[u8]>| {
        black_box(second.deserialize(bytes)?);
        Ok(())
    };
    match task {
        Task::Bytes => show(&encoded, name, &mut C::new()?)?,
        Task::Time { seconds } => {
            let ns = [timed(&corpus, *seconds, serialize)?, timed(&encoded, *seconds, convert)?];
            for (phase, ns) in ["serialize", "convert"].iter().zip(ns) {
                println!(r#"{{"codec": "{name}", "phase": "{phase}", "cpu_ns": {ns}}}"#);
            }
        }
        Task::Repeat { phase, times } if phase == "serialize" => repeat(&corpus, *times, serialize)?,
        Task::Repeat { times, .. } => repeat(&encoded, *times, convert)?,
    }
    Ok(())
}

/// Print the bytes, once what they are read back to has given the same ones.
fn show<C: Codec>(encoded: &[Box<[u8]>], name: &str, codec: &mut C) -> Result<(), Failure> {
    for (index, bytes) in encoded.iter().enumerate() {
        let again = codec.deserialize(bytes)?;
        if *codec.serialize(&again)? != **bytes {
            return Err(format!("{name}: message {index} does not come back").into());
        }
        println!("{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    }
    Ok(())
}

fn repeat<T>(items: &[T], times: u64, mut operation: impl FnMut(&T) -> Result<(), Failure>) -> Result<(), Failure> {
    for _ in 0..times {
        for item in items {
            operation(black_box(item))?;
        }
    }
    Ok(())
}

/// Mean ns per item, after a first batch that counts how many passes fill the time.
fn timed<T>(items: &[T], seconds: f64, mut operation: impl FnMut(&T) -> Result<(), Failure>) -> Result<f64, Failure> {
    let batch = seconds * 1e9 / f64::from(BATCHES);
    let mut passes = 1_u64;
    let mut pass = |passes: u64| -> Result<f64, Failure> {
        let start = cpu_ns();
        repeat(items, passes, &mut operation)?;
        Ok(cpu_ns() - start)
    };
    loop {
        let took = pass(passes)?;
        if took >= batch / 2.0 {
            passes = ((passes as f64 * batch / took) as u64).max(1);
            break;
        }
        passes *= 2;
    }
    let mut total = 0.0;
    for _ in 0..BATCHES {
        total += pass(passes)?;
    }
    Ok(total / (f64::from(BATCHES) * passes as f64 * items.len() as f64))
}

fn cpu_ns() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid place for one timespec, and the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}
