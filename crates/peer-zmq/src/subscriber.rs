//! The subscriber: a SUB socket on its own thread.

use std::sync::atomic::{AtomicBool, Ordering};

use wirelab_peer::{DeliverySink, Fault, ReceiveThread, Setup, Subscriber};
use zmq::Message;

use crate::endpoint::{Endpoint, prefix};

/// How often the receiving thread checks whether it must stop.
const POLL_MS: i32 = 200;

/// Subscribes and starts to connect; libzmq retries until the publisher is there.
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
    Ok(ReceiveThread::start(move |stop| {
        receive(sink, &endpoint, prefix.len(), stop);
    }))
}

fn receive(mut sink: DeliverySink, endpoint: &Endpoint, topic: usize, stop: &AtomicBool) {
    let mut frame = Message::new();
    while !stop.load(Ordering::Acquire) {
        match endpoint.socket.recv(&mut frame, 0) {
            Ok(()) => sink.deliver(&frame[topic..], false),
            Err(zmq::Error::EAGAIN | zmq::Error::EINTR) => {}
            Err(error) => return sink.fault(endpoint.fault("receive from", error)),
        }
    }
}
