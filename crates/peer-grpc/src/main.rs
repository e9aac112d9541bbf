//! `wirelab-peer-grpc`: gRPC through tonic. See `docs/reference/protocols/grpc.md`.

mod connection;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Setup, Subscriber,
};

fn main() -> ExitCode {
    wirelab_peer::main(Grpc)
}

struct Grpc;

impl Protocol for Grpc {
    fn describe(&self) -> Described {
        describe::grpc()
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, sink)
    }
}
