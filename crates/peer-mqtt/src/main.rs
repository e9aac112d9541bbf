//! `wirelab-peer-mqtt`: MQTT 3.1.1 through rumqttc. See `docs/protocols/mqtt.md`.

mod connection;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::{Described, Fault, Inbox, Outcomes, Protocol, Publisher, Setup, Subscriber};

fn main() -> ExitCode {
    wirelab_peer::main(Mqtt)
}

struct Mqtt;

impl Protocol for Mqtt {
    fn describe(&self) -> Described {
        describe::mqtt()
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, inbox: Inbox) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, inbox)
    }
}
