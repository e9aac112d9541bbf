//! CoAP peer: NON and CON messages to an observable resource, and their observer.

mod dial;
mod publisher;
mod requester;
mod responder;
mod settings;
mod subscriber;

use std::process::ExitCode;

use wirelab_coap::describe::{Library, described};
use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Responder, Setup, Subscriber,
};

/// Requested size of the receive buffer, in bytes.
const RECEIVE_BUFFER: usize = 4 << 20;

struct Coap;

fn main() -> ExitCode {
    wirelab_peer::main(Coap)
}

impl Protocol for Coap {
    fn describe(&self) -> Described {
        let library = Library {
            name: "coap-lite with wirelab-coap",
            version: wirelab_coap::CODEC_VERSION,
            language: "rust",
        };
        described("coap-coap-lite", library, settings::defaults())
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes, false)
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
