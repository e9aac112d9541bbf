//! The subscribing side: a SUB socket on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};
use zmq::Message;

use crate::endpoint::{Endpoint, prefix};

/// How often the receiving thread looks whether it shall end.
const POLL_MS: i32 = 200;

/// Subscribes and begins to connect; libzmq tries until the publisher is there.
///
/// # Errors
/// A fatal fault that names the endpoint and the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let endpoint = Endpoint::new(setup, zmq::SUB)?;
    let prefix = prefix(setup);
    let conflate = setup.options.parse("conflate")?;
    let open = || {
        endpoint.socket.set_conflate(conflate)?;
        endpoint.socket.set_rcvtimeo(POLL_MS)?;
        endpoint.socket.set_subscribe(&prefix)?;
        endpoint.socket.connect(&endpoint.address)
    };
    open().map_err(|error| endpoint.fault("connect", error))?;
    let leaving = Arc::new(AtomicBool::new(false));
    let leave = Arc::clone(&leaving);
    let thread = thread::spawn(move || receive(sink, &endpoint, prefix.len(), &leave));
    Ok(Box::new(Receiving { leaving, thread }))
}

struct Receiving {
    leaving: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Subscriber for Receiving {
    fn close(self: Box<Self>) {
        self.leaving.store(true, Ordering::Release);
        let _ = self.thread.join();
    }
}

fn receive(mut sink: DeliverySink, endpoint: &Endpoint, topic: usize, leave: &AtomicBool) {
    let mut frame = Message::new();
    while !leave.load(Ordering::Acquire) {
        match endpoint.socket.recv(&mut frame, 0) {
            Ok(()) => sink.deliver(&frame[topic..], false),
            Err(zmq::Error::EAGAIN | zmq::Error::EINTR) => {}
            Err(error) => return sink.fault(endpoint.fault("receive from", error)),
        }
    }
}
