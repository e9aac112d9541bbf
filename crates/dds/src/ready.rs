//! Discovery is not symmetric: that a writer has found a reader does not mean that the reader has found the writer, and until then
//! a best-effort sample is lost. So a subscriber says on a topic of its own that it has found the publisher; and a publisher that
//! hears it looks whether its own writer knows the reader, whose announcement may have been lost.

use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use wirelab_peer::{Fault, Inbox, Setup};

use crate::Hearer;

/// The topic on which a subscriber says so.
pub fn ready_topic(setup: &Setup) -> String {
    format!("{}/ready", setup.topic)
}

const LOOK: Duration = Duration::from_millis(5);

/// Waits until a subscriber has said that it has found the writer (within `patience`), and the writer has `matched` a reader.
/// Whether both came about before `deadline`.
///
/// # Errors
/// What `matched` gives.
pub fn both_found(
    heard: &Receiver<()>,
    patience: Duration,
    deadline: Instant,
    matched: impl Fn() -> Result<bool, Fault>,
) -> Result<bool, Fault> {
    if heard.recv_timeout(patience).is_err() {
        return Ok(false);
    }
    while !matched()? {
        if Instant::now() >= deadline {
            return Ok(false);
        }
        thread::sleep(LOOK);
    }
    Ok(true)
}

/// Hears, for a publisher, that a subscriber has found it.
pub struct Ready(pub Sender<()>);

impl Hearer for Ready {
    fn arrived(&mut self, _message: &[u8]) {
        // Nobody waits for a second one.
        let _ = self.0.send(());
    }

    fn matched(&mut self) {}
}

/// Hears a trial's messages, and tells of each publisher that is found.
pub struct Arrivals {
    /// Takes the messages.
    pub inbox: Inbox,
    /// Learns of publishers.
    pub found: Sender<()>,
}

impl Hearer for Arrivals {
    fn arrived(&mut self, message: &[u8]) {
        self.inbox.deliver(message, false);
    }

    fn matched(&mut self) {
        // The other end lives as long as the peer.
        let _ = self.found.send(());
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::mpsc;

    use super::*;

    fn later(seconds: u64) -> Instant {
        Instant::now() + Duration::from_secs(seconds)
    }

    #[test]
    fn a_publisher_that_was_found_waits_until_its_own_writer_knows_the_reader() {
        let (ready, heard) = mpsc::channel();
        ready.send(()).unwrap();
        let looks = Cell::new(0);
        let third = || {
            looks.set(looks.get() + 1);
            Ok(looks.get() == 3)
        };
        assert!(both_found(&heard, Duration::ZERO, later(60), third).unwrap());
        assert_eq!(looks.get(), 3);
    }

    #[test]
    fn a_writer_that_never_finds_a_reader_and_a_subscriber_that_says_nothing_are_told() {
        let (ready, heard) = mpsc::channel();
        assert!(!both_found(&heard, Duration::ZERO, later(60), || Ok(true)).unwrap());
        ready.send(()).unwrap();
        assert!(!both_found(&heard, Duration::ZERO, Instant::now(), || Ok(false)).unwrap());
    }
}
