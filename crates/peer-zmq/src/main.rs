//! `wirelab-peer-zmq`: ZeroMQ PUB/SUB through libzmq, without a server. See `docs/reference/protocols/zmq.md`.

mod describe;
mod endpoint;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Setup, Subscriber,
};

fn main() -> ExitCode {
    wirelab_peer::main(Zmq)
}

struct Zmq;

impl Protocol for Zmq {
    fn describe(&self) -> Described {
        describe::zmq()
    }

    fn publisher(&self, setup: &Setup, _outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::bind(setup)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, sink)
    }
}
