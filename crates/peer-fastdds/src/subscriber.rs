//! The subscriber.

use std::sync::{Arc, Mutex};
use std::thread;

use wirelab_dds::{MessageListener, ready_topic};
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};

use crate::ffi::{Participant, Writer};
use crate::publisher::READY;
use crate::settings::{domain, settings};

/// Joins, subscribes, and announces each writer that its reader has matched.
///
/// # Errors
/// A fatal fault that names the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let participant = Participant::join(&domain(setup, None)?)?;
    let ready = participant.writer(&ready_topic(setup), &READY)?;
    let ready = Arc::new(Mutex::new(Some(ready)));
    let (arrivals, said) = MessageListener::new(setup, sink);
    participant.reader(&setup.topic, &settings(setup, None)?, arrivals)?;
    // Fast DDS's thread must not wait for work that it would have to do itself.
    let writer = Arc::clone(&ready);
    thread::spawn(move || said.iter().try_for_each(|found| answer(&writer, &found)));
    Ok(Box::new(Dds { ready, participant }))
}

fn answer(ready: &Mutex<Option<Writer>>, found: &[u8]) -> Result<(), Fault> {
    let writer = ready.lock().expect("a panic ends the peer");
    writer.map_or(Ok(()), |writer| writer.write(found))
}

struct Dds {
    /// None after the participant and its writer have been deleted.
    ready: Arc<Mutex<Option<Writer>>>,
    participant: Participant,
}

impl Subscriber for Dds {
    fn close(self: Box<Self>) {
        *self.ready.lock().expect("a panic ends the peer") = None;
        drop(self.participant);
    }
}
