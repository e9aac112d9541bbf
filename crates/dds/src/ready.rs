//! Discovery is not symmetric: that a writer has found a reader does not mean that the reader has found the writer, and until then
//! a best-effort sample is lost. So a subscriber says on a topic of its own that it has found the publisher.

use std::sync::mpsc::Sender;

use wirelab_peer::{Inbox, Setup};

use crate::Hearer;

/// The topic on which a subscriber says so.
pub fn ready_topic(setup: &Setup) -> String {
    format!("{}/ready", setup.topic)
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
