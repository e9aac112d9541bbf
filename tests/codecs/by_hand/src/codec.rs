//! A codec and the loop that times it: batches of the whole corpus, on the thread's CPU clock.

use std::hint::black_box;

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

/// Time both directions, or print the bytes.
pub fn measure<C: Codec>(name: &str, text: &str, seconds: f64) -> Result<(), Failure> {
    let mut codec = C::new()?;
    let corpus: Vec<C::Message> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut encoded: Vec<Box<[u8]>> = Vec::new();
    for message in &corpus {
        encoded.push(codec.serialize(message)?.into());
    }
    if seconds == 0.0 {
        for (index, bytes) in encoded.iter().enumerate() {
            let again = codec.deserialize(bytes)?;
            if *codec.serialize(&again)? != **bytes {
                return Err(format!("{name}: message {index} does not come back").into());
            }
            println!("{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        }
        return Ok(());
    }
    let ns = timed(&corpus, seconds, |message| {
        black_box(codec.serialize(message)?);
        Ok(())
    })?;
    println!(r#"{{"codec": "{name}", "phase": "serialize", "cpu_ns": {ns}}}"#);
    let ns = timed(&encoded, seconds, |bytes| {
        black_box(codec.deserialize(bytes)?);
        Ok(())
    })?;
    println!(r#"{{"codec": "{name}", "phase": "convert", "cpu_ns": {ns}}}"#);
    Ok(())
}

/// Mean ns per item, after a first batch that counts how many passes fill the time.
fn timed<T>(items: &[T], seconds: f64, mut operation: impl FnMut(&T) -> Result<(), Failure>) -> Result<f64, Failure> {
    let batch = seconds * 1e9 / f64::from(BATCHES);
    let mut passes = 1_u64;
    let mut pass = |passes: u64| -> Result<f64, Failure> {
        let start = cpu_ns();
        for _ in 0..passes {
            for item in items {
                operation(black_box(item))?;
            }
        }
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
