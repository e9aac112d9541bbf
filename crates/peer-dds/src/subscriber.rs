//! The subscribing side.

use std::sync::mpsc;
use std::thread;

use wirelab_dds::{Arrivals, found, ready_topic};
use wirelab_peer::{Fault, Inbox, Setup, Subscriber};

use crate::configuration::{domain, settings};
use crate::cyclone::Participant;
use crate::publisher::READY;

/// Joins and begins to read; says so to each publisher that it finds.
///
/// # Errors
/// A fatal fault that names the cause.
pub fn connect(setup: &Setup, inbox: Inbox) -> Result<Box<dyn Subscriber>, Fault> {
    let participant = Participant::join(&domain(setup)?)?;
    let ready = participant.writer(&ready_topic(setup), &READY)?;
    let (writers, told) = mpsc::channel();
    let name = setup.client.clone();
    // Cyclone's own thread must not wait for what it would have to do itself.
    thread::spawn(move || {
        told.iter()
            .try_for_each(|writer| ready.write(&found(writer, &name)))
    });
    let arrivals = Arrivals {
        inbox,
        found: writers,
    };
    participant.reader(&setup.topic, &settings(setup)?, arrivals)?;
    Ok(Box::new(Dds(participant)))
}

struct Dds(Participant);

impl Subscriber for Dds {
    fn close(self: Box<Self>) {
        drop(self.0);
    }
}
