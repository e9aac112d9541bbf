//! The publisher.

use std::thread;
use std::time::{Duration, Instant};

use wirelab_dds::{AnnouncementListener, ready_topic, wait_for_discovery};
use wirelab_peer::{Fault, Publisher, Setup};

use crate::bindings::Settings;
use crate::ffi::{Participant, Writer};
use crate::flow::Flow;
use crate::settings::{domain, settings};

/// QoS of the announcements: they are kept for late-joining publishers, and retransmitted until
/// received.
pub const READY: Settings = Settings {
    reliable: true,
    transient_local: true,
    multicast: false,
    controlled: false,
    depth: 0,
    samples: 1000,
    lifespan_ns: 0,
    heartbeat_ns: 100_000_000,
};

const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Joins, and waits for discovery in both directions.
///
/// # Errors
/// A fatal fault that names the cause.
pub fn connect(setup: &Setup) -> Result<Box<dyn Publisher>, Fault> {
    let flow = Flow::new(setup)?;
    let settings = settings(setup, flow.as_ref())?;
    let participant = Participant::join(&domain(setup, flow.as_ref())?)?;
    let writer = participant.writer(&setup.topic, &settings)?;
    let (ready, subscribers) = AnnouncementListener::new(writer.guid());
    participant.reader(&ready_topic(setup), &READY, ready)?;
    let (patience, matched) = (setup.connect_timeout, || Ok(writer.matched()));
    if !wait_for_discovery(&subscribers, setup.subscribers, patience, matched)? {
        return Err(setup.timed_out("wait for a subscriber at"));
    }
    Ok(Box::new(Dds {
        writer,
        reliable: settings.reliable,
        flow,
        participant,
    }))
}

struct Dds {
    writer: Writer,
    reliable: bool,
    flow: Option<Flow>,
    participant: Participant,
}

impl Publisher for Dds {
    fn send(&mut self, _seq: u64, message: &[u8]) -> Result<(), Fault> {
        if let Some(flow) = &mut self.flow {
            flow.sent(message.len(), Instant::now());
        }
        self.writer.write(message)
    }

    fn flush(&mut self) -> Result<(), Fault> {
        if self.reliable {
            while !self.writer.acknowledged(POLL_INTERVAL)? {}
        } else if let Some(flow) = &self.flow {
            thread::sleep(flow.remaining(Instant::now()));
        }
        Ok(())
    }

    fn close(self: Box<Self>) {
        drop(self.participant);
    }
}
