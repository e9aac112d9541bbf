//! The publisher.

use std::time::{Duration, Instant};

use wirelab_dds::{AnnouncementListener, ready_topic, wait_for_discovery};
use wirelab_peer::{Fault, Publisher, Setup};

use crate::batch::Batch;
use crate::configuration::{domain, settings};
use crate::cyclone::{Participant, Settings, Writer};

/// QoS of the announcements: they are kept for late-joining publishers, and retransmitted until
/// received.
pub const READY: Settings = Settings {
    reliable: true,
    transient_local: true,
    depth: 0,
    lifespan_ns: 0,
};

/// Time limit of the first discovery. A participant announces itself by one multicast, then every
/// 30 s: if the first is lost, joining again is faster.
const FIRST_DISCOVERY_TIMEOUT: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Joins, and waits for discovery in both directions.
///
/// # Errors
/// A fatal fault that names the cause.
pub fn connect(setup: &Setup) -> Result<Box<dyn Publisher>, Fault> {
    let (domain, settings) = (domain(setup)?, settings(setup)?);
    let deadline = Instant::now() + setup.connect_timeout;
    let mut patience = FIRST_DISCOVERY_TIMEOUT;
    loop {
        let participant = Participant::join(&domain)?;
        let writer = participant.writer(&setup.topic, &settings)?;
        let (ready, subscribers) = AnnouncementListener::new(writer.guid()?);
        participant.reader(&ready_topic(setup), &READY, ready)?;
        let left = deadline.saturating_duration_since(Instant::now());
        let matched = || writer.matched();
        if wait_for_discovery(&subscribers, setup.subscribers, patience.min(left), matched)? {
            return Ok(Box::new(Dds {
                batch: Batch::new(setup, writer)?,
                writer,
                reliable: settings.reliable,
                participant,
            }));
        }
        if left <= patience {
            return Err(setup.timed_out("wait for a subscriber at"));
        }
        patience *= 2;
    }
}

struct Dds {
    batch: Batch,
    writer: Writer,
    reliable: bool,
    participant: Participant,
}

impl Publisher for Dds {
    fn send(&mut self, _seq: u64, message: &[u8]) -> Result<(), Fault> {
        self.batch.write(message)
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.writer.flush()?;
        while self.reliable && !self.writer.acknowledged(POLL_INTERVAL)? {}
        Ok(())
    }

    fn close(self: Box<Self>) {
        drop(self.participant);
    }
}
