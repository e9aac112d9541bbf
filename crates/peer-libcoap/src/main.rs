//! `wirelab-peer-libcoap`: CoAP through libcoap. See `docs/reference/protocols/coap.md`.

mod bindings;
mod libcoap;
mod listener;
mod publisher;
mod requester;
mod responder;
mod session;
mod settings;
mod subscriber;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use wirelab_coap::describe::{Library, described};
use wirelab_coap::options::OPTIONS;
use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Responder, Setup, Subscriber,
};

use crate::libcoap::{Endpoint, ResponseHandler, State};

fn main() -> ExitCode {
    wirelab_coap::dtls::init();
    wirelab_peer::main(Libcoap)
}

struct Libcoap;

impl Protocol for Libcoap {
    fn describe(&self) -> Described {
        let library = Library {
            name: "libcoap",
            version: &bindings::version(),
            language: "c",
        };
        described("coap-libcoap", library, OPTIONS)
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, sink)
    }

    fn requester(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        requester::connect(setup, outcomes)
    }

    fn responder(&self, setup: &Setup, responder: Responder) -> Result<Box<dyn Subscriber>, Fault> {
        responder::connect(setup, responder)
    }
}

/// Waits for the DTLS handshake, if there is one.
///
/// # Errors
/// A fatal fault that names the server.
fn shake_hands<H: ResponseHandler>(setup: &Setup, endpoint: &mut Endpoint<H>) -> Result<(), Fault> {
    let until = Instant::now() + setup.connect_timeout;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match endpoint.state() {
            State::Open => return Ok(()),
            State::Closed => {
                let why = format!("the DTLS handshake failed: {}", bindings::last_message());
                return Err(Fault::fatal(format!("connect {}", setup.server()), why));
            }
            State::Handshake if left.is_zero() => {
                return Err(setup.timed_out("DTLS handshake with"));
            }
            State::Handshake => endpoint.process(left.max(MIN_WAIT)),
        }
    }
}

/// How long libcoap waits before a receiving thread checks whether it must stop. The thread drops
/// the endpoint, which makes libcoap deregister with the server.
const STOP_POLL: Duration = Duration::from_millis(100);
/// Processing for zero time would not wait.
const MIN_WAIT: Duration = Duration::from_millis(1);
const PORT_UNREACHABLE: &str = "connection refused: nothing listens on that UDP port";
