//! The subscriber.

use std::sync::{Arc, Mutex, MutexGuard};

use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};
use zenoh::qos::Priority;
use zenoh::{Session, Wait};

use crate::connection_monitor::ConnectionMonitor;
use crate::session::{fault, open, round_trip};

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the router and the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let session = open(setup)?;
    let sink = Arc::new(Mutex::new(sink));
    let (lost, back) = (Arc::clone(&sink), Arc::clone(&sink));
    let monitor = ConnectionMonitor::watch(
        setup,
        &session,
        move |fault| lock(&lost).fault(fault),
        move || lock(&back).reconnected(),
    )?;
    session
        .declare_subscriber(setup.topic.clone())
        .callback(move |sample| lock(&sink).deliver(&sample.payload().to_bytes(), false))
        .background()
        .wait()
        .map_err(|error| fault(setup, "subscribe", error))?;
    if !round_trip(&session, Priority::default(), setup.connect_timeout) {
        return Err(setup.timed_out("connect"));
    }
    Ok(Box::new(Zenoh { session, monitor }))
}

/// The library calls from its own threads, one message at a time.
fn lock(sink: &Mutex<DeliverySink>) -> MutexGuard<'_, DeliverySink> {
    sink.lock().expect("a panic ends the peer")
}

struct Zenoh {
    session: Session,
    monitor: Arc<ConnectionMonitor>,
}

impl Subscriber for Zenoh {
    fn close(self: Box<Self>) {
        self.monitor.end();
        // The router detects that the session has ended.
        let _ = self.session.close().wait();
    }
}
