//! DDS discovery is not symmetric: a writer may match a reader before the reader matches the
//! writer, and until then best-effort samples are lost. Each subscriber therefore announces on a
//! separate topic which writers it has matched. When all subscribers have announced its writer, a
//! publisher also checks that its writer has matched as many readers, because their discovery
//! messages may have been lost.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use wirelab_peer::{DeliverySink, Fault, Setup};

use crate::{Guid, ReaderListener};

/// The topic of these announcements.
pub fn ready_topic(setup: &Setup) -> String {
    format!("{}/ready", setup.topic)
}

/// The announcement of a subscriber: the writer that it has matched, then its own name.
fn found(writer: Guid, subscriber: &str) -> Vec<u8> {
    [&writer[..], subscriber.as_bytes()].concat()
}

const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Waits until `subscribers` subscribers have announced the writer and the writer has matched as
/// many readers. Returns false if that takes longer than `patience`.
///
/// # Errors
/// The fault of `matched`.
pub fn wait_for_discovery(
    heard: &Receiver<String>,
    subscribers: usize,
    patience: Duration,
    matched: impl Fn() -> Result<usize, Fault>,
) -> Result<bool, Fault> {
    let deadline = Instant::now() + patience;
    let mut ready = HashSet::new();
    while ready.len() < subscribers {
        let left = deadline.saturating_duration_since(Instant::now());
        match heard.recv_timeout(left) {
            Ok(subscriber) => ready.insert(subscriber),
            Err(_) => return Ok(false),
        };
    }
    while matched()? < subscribers {
        if Instant::now() >= deadline {
            return Ok(false);
        }
        thread::sleep(POLL_INTERVAL);
    }
    Ok(true)
}

/// Collects, for a publisher, the announcements of subscribers that have matched its writer.
pub struct AnnouncementListener {
    writer: Guid,
    heard: Sender<String>,
}

impl AnnouncementListener {
    /// The listener, and a channel with the names of these subscribers. Announcements for other
    /// writers are ignored, such as an earlier one of this publisher.
    pub fn new(writer: Guid) -> (Self, Receiver<String>) {
        let (heard, names) = channel();
        (Self { writer, heard }, names)
    }
}

impl ReaderListener for AnnouncementListener {
    fn arrived(&mut self, message: &[u8]) {
        if let Some(subscriber) = message.strip_prefix(&self.writer) {
            let name = String::from_utf8_lossy(subscriber).into_owned();
            // The receiver is dropped once all subscribers are known.
            let _ = self.heard.send(name);
        }
    }

    fn matched(&mut self, _writer: Guid) {}
}

/// Delivers the messages of a trial, and announces each writer that the reader has matched.
pub struct MessageListener {
    sink: DeliverySink,
    subscriber: String,
    said: Sender<Vec<u8>>,
}

impl MessageListener {
    /// The listener, and a channel with the announcements that the subscriber must write to the
    /// [`ready_topic`].
    pub fn new(setup: &Setup, sink: DeliverySink) -> (Self, Receiver<Vec<u8>>) {
        let (said, to_write) = channel();
        let subscriber = setup.client.clone();
        let arrivals = Self {
            sink,
            subscriber,
            said,
        };
        (arrivals, to_write)
    }
}

impl ReaderListener for MessageListener {
    fn arrived(&mut self, message: &[u8]) {
        self.sink.deliver(message, false);
    }

    fn matched(&mut self, writer: Guid) {
        // The receiver lives as long as the peer.
        let _ = self.said.send(found(writer, &self.subscriber));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const OWN: Guid = *b"publisher/writer";
    const EARLIER: Guid = *b"publisher/earlie";

    /// The names that a publisher collects from these announcements.
    fn hearing(said: &[(Guid, &str)]) -> Receiver<String> {
        let (mut ready, names) = AnnouncementListener::new(OWN);
        for (writer, subscriber) in said {
            ready.arrived(&found(*writer, subscriber));
        }
        names
    }

    #[test]
    fn a_publisher_that_was_found_waits_until_its_own_writer_knows_the_readers() {
        let heard = hearing(&[(OWN, "one"), (OWN, "two")]);
        let looks = Cell::new(0);
        let one_more_each_time = || Ok(looks.replace(looks.get() + 1));
        assert!(wait_for_discovery(&heard, 2, Duration::from_mins(1), one_more_each_time).unwrap());
        assert_eq!(looks.get(), 3);
    }

    #[test]
    fn one_subscriber_that_says_it_twice_and_one_that_found_an_earlier_writer_are_not_two() {
        let heard = hearing(&[(OWN, "one"), (OWN, "one"), (EARLIER, "two")]);
        assert!(!wait_for_discovery(&heard, 2, Duration::ZERO, || Ok(2)).unwrap());
    }

    #[test]
    fn a_writer_that_never_finds_the_readers_and_subscribers_that_say_nothing_are_told() {
        assert!(!wait_for_discovery(&hearing(&[]), 1, Duration::ZERO, || Ok(1)).unwrap());
        let heard = hearing(&[(OWN, "one"), (OWN, "two")]);
        assert!(!wait_for_discovery(&heard, 2, Duration::ZERO, || Ok(1)).unwrap());
    }
}
