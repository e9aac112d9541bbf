//! `wirelab-peer-kafka`: Kafka through librdkafka. See `docs/reference/protocols/kafka.md`.

mod client;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Setup, Subscriber,
};

fn main() -> ExitCode {
    wirelab_peer::main(Kafka)
}

struct Kafka;

impl Protocol for Kafka {
    fn describe(&self) -> Described {
        describe::kafka()
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, sink)
    }
}
