//! The subscribing side.

use std::sync::{Arc, Mutex, MutexGuard};

use wirelab_peer::{Fault, Inbox, Setup, Subscriber};
use zenoh::qos::Priority;
use zenoh::{Session, Wait};

use crate::line::Line;
use crate::session::{fault, open, round_trip};

/// Connects, and subscribes.
///
/// # Errors
/// A fatal fault that names the router and the cause.
pub fn connect(setup: &Setup, inbox: Inbox) -> Result<Box<dyn Subscriber>, Fault> {
    let session = open(setup)?;
    let inbox = Arc::new(Mutex::new(inbox));
    let (lost, back) = (Arc::clone(&inbox), Arc::clone(&inbox));
    let line = Line::watch(
        setup,
        &session,
        move |fault| lock(&lost).fault(fault),
        move || lock(&back).reconnected(),
    )?;
    session
        .declare_subscriber(setup.topic.clone())
        .callback(move |sample| lock(&inbox).deliver(&sample.payload().to_bytes(), false))
        .background()
        .wait()
        .map_err(|error| fault(setup, "subscribe", error))?;
    if !round_trip(&session, Priority::default(), setup.connect_timeout) {
        return Err(setup.timed_out("connect"));
    }
    Ok(Box::new(Zenoh { session, line }))
}

/// The library calls from threads of its own, one message at a time.
fn lock(inbox: &Mutex<Inbox>) -> MutexGuard<'_, Inbox> {
    inbox.lock().expect("a panic ends the peer")
}

struct Zenoh {
    session: Session,
    line: Arc<Line>,
}

impl Subscriber for Zenoh {
    fn close(self: Box<Self>) {
        self.line.end();
        // Whoever stays connected is found out by the router.
        let _ = self.session.close().wait();
    }
}
