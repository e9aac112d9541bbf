//! When a batch is sent. Cyclone sends one when a packet is full; a paced publisher must not wait
//! for that.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use wirelab_peer::{Fault, Setup};

use crate::cyclone::Writer;

/// RTPS overhead per message in a packet: DATA submessage header and CDR header (DDSI-RTPS 2.3,
/// 9.4.5.3).
const SUBMESSAGE: usize = 32;

/// Limit of a batch.
enum Size {
    One,
    Fixed(u32),
    Adaptive(Adaptive),
}

/// Sends a batch after a number of messages, or a time after its first message.
pub struct Batch {
    writer: Writer,
    size: Size,
    age: Duration,
    last: Option<Instant>,
    waiting: Arc<Waiting>,
}

/// State shared by the writing thread and the timer thread. A message is counted after it is
/// written, and the count is reset before a flush, so each message is either in that flush or
/// starts a new batch.
#[derive(Default)]
struct Waiting {
    messages: AtomicU32,
    timer: Mutex<Timer>,
    changed: Condvar,
}

#[derive(Default)]
struct Timer {
    due: Option<Instant>,
    /// The timer thread has no wake-up time.
    asleep: bool,
}

impl Waiting {
    /// Starts a batch that is due at this time.
    fn begin(&self, due: Instant) {
        let mut timer = self.timer.lock().expect("a panic ends the peer");
        timer.due = Some(due);
        // Otherwise the timer wakes up for an earlier batch and sees this one.
        if timer.asleep {
            self.changed.notify_one();
        }
    }

    /// Ends the batch before it is sent.
    fn end(&self, timer: &mut Timer) {
        timer.due = None;
        self.messages.store(0, Ordering::Release);
    }
}

impl Batch {
    /// Reads the options. Batches of one message need no timer.
    ///
    /// # Errors
    /// A fatal fault that names the option.
    pub fn new(setup: &Setup, writer: Writer) -> Result<Self, Fault> {
        let age = Duration::try_from_secs_f64(setup.options.parse::<f64>("batch_ms")? / 1000.0)
            .map_err(|error| Fault::fatal("option batch_ms", error))?;
        let size = match setup.options.text("batch_messages") {
            "1" => Size::One,
            "adaptive" => Size::Adaptive(Adaptive {
                packet: setup.options.parse("packet_bytes")?,
                age,
                gap: None,
            }),
            _ => Size::Fixed(setup.options.parse("batch_messages")?),
        };
        if matches!(size, Size::Fixed(0)) {
            return Err(Fault::fatal("option batch_messages", "must be above 0"));
        }
        let waiting = Arc::default();
        if !matches!(size, Size::One) {
            let waiting = Arc::clone(&waiting);
            thread::spawn(move || flush_when_due(writer, &waiting));
        }
        Ok(Self {
            writer,
            size,
            age,
            last: None,
            waiting,
        })
    }

    /// Writes a message, and sends the batch if that completes it.
    ///
    /// # Errors
    /// A fatal fault.
    pub fn write(&mut self, message: &[u8]) -> Result<(), Fault> {
        let limit = match &mut self.size {
            Size::One => return self.writer.write(message),
            Size::Fixed(limit) => *limit,
            Size::Adaptive(adaptive) => {
                let now = Instant::now();
                if let Some(last) = self.last.replace(now) {
                    adaptive.learn(now - last);
                }
                adaptive.limit(message.len())
            }
        };
        self.writer.write(message)?;
        let before = self.waiting.messages.fetch_add(1, Ordering::AcqRel);
        if before + 1 >= limit {
            let mut timer = self.waiting.timer.lock().expect("a panic ends the peer");
            self.waiting.end(&mut timer);
            return self.writer.flush();
        }
        if before == 0 {
            self.waiting.begin(Instant::now() + self.age);
        }
        Ok(())
    }
}

/// Batch size from message size and rate: as many messages as a packet holds, but at most as many
/// as arrive within the maximum age of a batch.
struct Adaptive {
    packet: usize,
    age: Duration,
    /// Smoothed interval between messages, over about eight; unknown before the second message.
    gap: Option<Duration>,
}

impl Adaptive {
    fn learn(&mut self, gap: Duration) {
        self.gap = Some(match self.gap {
            Some(before) => (before * 7 + gap) / 8,
            None => gap,
        });
    }

    fn limit(&self, message: usize) -> u32 {
        let Some(gap) = self.gap else { return 1 };
        let fit = self.packet / (message + SUBMESSAGE);
        let come = self.age.as_nanos() / gap.as_nanos().max(1) + 1;
        u32::try_from(come.min(fit as u128)).map_or(u32::MAX, |limit| limit.max(1))
    }
}

/// The timer thread: sends each batch that has reached its maximum age. Runs until the process
/// exits.
fn flush_when_due(writer: Writer, waiting: &Waiting) {
    let mut timer = waiting.timer.lock().expect("a panic ends the peer");
    loop {
        let left = timer
            .due
            .map(|due| due.saturating_duration_since(Instant::now()));
        match left {
            None => {
                timer.asleep = true;
                timer = waiting.changed.wait(timer).expect("a panic ends the peer");
                timer.asleep = false;
            }
            Some(Duration::ZERO) => {
                waiting.end(&mut timer);
                // After the writer is deleted there is nothing to send.
                let _ = writer.flush();
            }
            Some(left) => {
                let woken = waiting.changed.wait_timeout(timer, left);
                timer = woken.expect("a panic ends the peer").0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(gap_us: u64, message: usize) -> u32 {
        let mut adaptive = Adaptive {
            packet: 14_720,
            age: Duration::from_millis(5),
            gap: None,
        };
        assert_eq!(adaptive.limit(message), 1);
        adaptive.learn(Duration::from_micros(gap_us));
        adaptive.limit(message)
    }

    #[test]
    fn a_batch_holds_what_comes_within_its_age_and_fits_a_packet() {
        assert_eq!(limit(1000, 100), 6);
        assert_eq!(limit(1, 100), 111);
        assert_eq!(limit(0, 100), 111);
    }

    #[test]
    fn rare_or_large_messages_leave_at_once() {
        assert_eq!(limit(200_000, 100), 1);
        assert_eq!(limit(1, 20_000), 1);
    }
}
