//! `wirelab-peer-dds`: DDS through Cyclone DDS, without a server. See `docs/reference/protocols/dds.md`.

mod batch;
mod configuration;
mod cyclone;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_dds::described;
use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Setup, Subscriber,
};

/// Options that only this library takes, and their defaults; docs/reference/protocols/dds.md explains each.
const OPTIONS: [(&str, &str); 3] = [
    ("batch_messages", "1"),
    ("batch_ms", "5"),
    ("fragment_bytes", "1344"),
];

fn main() -> ExitCode {
    wirelab_peer::main(Dds)
}

struct Dds;

impl Protocol for Dds {
    fn describe(&self) -> Described {
        described(
            "dds-cyclone",
            "cyclonedds",
            cyclone::version(),
            "c",
            &OPTIONS,
        )
    }

    fn publisher(&self, setup: &Setup, _outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, sink)
    }
}
