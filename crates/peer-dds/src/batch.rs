//! When a batch leaves: Cyclone sends one when a packet is full; a paced publisher must not wait for that.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use wirelab_peer::{Fault, Setup};

use crate::cyclone::Writer;

/// Sends a batch after so many messages, or so long after its first.
pub struct Batch {
    writer: Writer,
    limit: u32,
    age: Duration,
    waiting: Arc<(Mutex<Waiting>, Condvar)>,
}

#[derive(Default)]
struct Waiting {
    messages: u32,
    due: Option<Instant>,
}

impl Batch {
    /// Reads the options; batches of one need nothing more.
    ///
    /// # Errors
    /// A fatal fault that names the option.
    pub fn new(setup: &Setup, writer: Writer) -> Result<Self, Fault> {
        let batch = Self {
            writer,
            limit: setup.options.parse("batch_messages")?,
            age: Duration::try_from_secs_f64(setup.options.parse::<f64>("batch_ms")? / 1000.0)
                .map_err(|error| Fault::fatal("option batch_ms", error))?,
            waiting: Arc::default(),
        };
        if batch.limit == 0 {
            return Err(Fault::fatal("option batch_messages", "it must be above 0"));
        }
        if batch.limit > 1 {
            let waiting = Arc::clone(&batch.waiting);
            thread::spawn(move || flush_when_due(writer, &waiting));
        }
        Ok(batch)
    }

    /// Writes a message, and sends the batch if it completes one.
    ///
    /// # Errors
    /// A fatal fault.
    pub fn write(&self, message: &[u8]) -> Result<(), Fault> {
        self.writer.write(message)?;
        if self.limit == 1 {
            return Ok(());
        }
        let (waiting, changed) = &*self.waiting;
        let mut waiting = waiting.lock().expect("a panic ends the peer");
        waiting.messages += 1;
        if waiting.messages == self.limit {
            *waiting = Waiting::default();
            return self.writer.flush();
        }
        if waiting.messages == 1 {
            waiting.due = Some(Instant::now() + self.age);
            changed.notify_one();
        }
        Ok(())
    }
}

/// Sends each batch that its age makes due. Ends with the process.
fn flush_when_due(writer: Writer, (waiting, changed): &(Mutex<Waiting>, Condvar)) {
    let mut waiting_now = waiting.lock().expect("a panic ends the peer");
    loop {
        let left = waiting_now
            .due
            .map(|due| due.saturating_duration_since(Instant::now()));
        match left {
            None => {
                waiting_now = changed.wait(waiting_now).expect("a panic ends the peer");
            }
            Some(Duration::ZERO) => {
                *waiting_now = Waiting::default();
                // A writer that is gone has nothing to send.
                let _ = writer.flush();
            }
            Some(left) => {
                let woken = changed.wait_timeout(waiting_now, left);
                waiting_now = woken.expect("a panic ends the peer").0;
            }
        }
    }
}
