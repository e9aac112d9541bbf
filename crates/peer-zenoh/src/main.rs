//! `wirelab-peer-zenoh`: Zenoh, as a client of a router. See `docs/reference/protocols/zenoh.md`.

mod connection_monitor;
mod describe;
mod publisher;
mod session;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Setup, Subscriber,
};

fn main() -> ExitCode {
    wirelab_peer::main(Zenoh)
}

struct Zenoh;

impl Protocol for Zenoh {
    fn describe(&self) -> Described {
        describe::zenoh()
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, sink)
    }
}
