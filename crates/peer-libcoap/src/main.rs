//! `wirelab-peer-libcoap`: CoAP through libcoap. See `docs/reference/protocols/coap.md`.

mod contact;
mod libcoap;
mod listener;
mod publisher;
mod raw;
mod receiving;
mod requester;
mod responder;
mod settings;
mod subscriber;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use wirelab_coap::describe::{Library, described};
use wirelab_coap::options::OPTIONS;
use wirelab_peer::{
    Described, Desk, Fault, Inbox, Outcomes, Protocol, Publisher, Setup, Subscriber,
};

use crate::libcoap::{Endpoint, Hearer, State};

fn main() -> ExitCode {
    wirelab_coap::dtls::begin();
    wirelab_peer::main(Libcoap)
}

struct Libcoap;

impl Protocol for Libcoap {
    fn describe(&self) -> Described {
        let library = Library {
            name: "libcoap",
            version: &raw::version(),
            language: "c",
        };
        described("coap-libcoap", library, OPTIONS)
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, inbox: Inbox) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, inbox)
    }

    fn requester(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        requester::connect(setup, outcomes)
    }

    fn responder(&self, setup: &Setup, desk: Desk) -> Result<Box<dyn Subscriber>, Fault> {
        responder::connect(setup, desk)
    }
}

/// Waits for the handshake, over DTLS.
///
/// # Errors
/// A fatal fault that names the server.
fn shake_hands<H: Hearer>(setup: &Setup, endpoint: &mut Endpoint<H>) -> Result<(), Fault> {
    let until = Instant::now() + setup.connect_timeout;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match endpoint.state() {
            State::Open => return Ok(()),
            State::Closed => {
                let why = format!("the DTLS handshake failed: {}", raw::said());
                return Err(Fault::fatal(format!("connect {}", setup.server()), why));
            }
            State::Handshake if left.is_zero() => {
                return Err(setup.timed_out("DTLS handshake with"));
            }
            State::Handshake => endpoint.process(left.max(LEAST_WAIT)),
        }
    }
}

/// To process for no time at all does not wait.
const LEAST_WAIT: Duration = Duration::from_millis(1);
const NOBODY_LISTENS: &str = "connection refused: nothing listens on that UDP port";
