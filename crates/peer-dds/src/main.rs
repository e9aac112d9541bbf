//! `wirelab-peer-dds`: DDS through Cyclone DDS, without a server. See `docs/protocols/dds.md`.

mod batch;
mod configuration;
mod cyclone;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::{Described, Fault, Inbox, Outcomes, Protocol, Publisher, Setup, Subscriber};

fn main() -> ExitCode {
    wirelab_peer::main(Dds)
}

struct Dds;

impl Protocol for Dds {
    fn describe(&self) -> Described {
        describe::dds()
    }

    fn publisher(&self, setup: &Setup, _outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup)
    }

    fn subscriber(&self, setup: &Setup, inbox: Inbox) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, inbox)
    }
}

/// The topic on which a subscriber says that it has found the publisher.
///
/// Discovery is not symmetric: that a writer has found a reader does not mean that the reader has found the writer, and until then
/// a best-effort sample is lost.
fn ready_topic(setup: &Setup) -> String {
    format!("{}/ready", setup.topic)
}
