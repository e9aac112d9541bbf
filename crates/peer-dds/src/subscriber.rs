//! The subscriber.

use std::thread;

use wirelab_dds::{MessageListener, ready_topic};
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};

use crate::configuration::{domain, settings};
use crate::cyclone::Participant;
use crate::publisher::READY;

/// Joins, subscribes, and announces each writer that its reader has matched.
///
/// # Errors
/// A fatal fault that names the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let participant = Participant::join(&domain(setup)?)?;
    let ready = participant.writer(&ready_topic(setup), &READY)?;
    let (arrivals, said) = MessageListener::new(setup, sink);
    // Cyclone's thread must not wait for work that it would have to do itself.
    thread::spawn(move || said.iter().try_for_each(|found| ready.write(&found)));
    participant.reader(&setup.topic, &settings(setup)?, arrivals)?;
    Ok(Box::new(Dds(participant)))
}

struct Dds(Participant);

impl Subscriber for Dds {
    fn close(self: Box<Self>) {
        drop(self.0);
    }
}
