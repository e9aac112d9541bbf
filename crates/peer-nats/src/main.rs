//! `wirelab-peer-nats`: NATS, core and JetStream, through async-nats. See `docs/reference/protocols/nats.md`.

mod connection;
mod describe;
mod publisher;
mod stream;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Setup, Subscriber,
};

fn main() -> ExitCode {
    wirelab_peer::main(Nats)
}

struct Nats;

impl Protocol for Nats {
    fn describe(&self) -> Described {
        describe::nats()
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, sink)
    }
}
