//! `wirelab-peer-mqtt [--protocol mqtt5]`: MQTT 3.1.1 and 5 through rumqttc. See
//! `docs/reference/protocols/mqtt.md`.

mod connection;
mod describe;
mod events;
mod library;
mod multi_connection;
mod publisher;
mod requester;
mod responder;
mod settings;
mod subscriber;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use wirelab_peer::server::arguments;
use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Responder, Setup, Subscriber,
};

/// A peer for MQTT. It implements the peer contract on standard input and output.
#[derive(Parser)]
#[command(name = "wirelab-peer-mqtt", version)]
struct Arguments {
    /// The protocol version.
    #[arg(long, default_value = "mqtt")]
    protocol: Version,
}

/// Versions of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Version {
    /// MQTT 3.1.1.
    Mqtt,
    /// MQTT 5.
    Mqtt5,
}

fn main() -> ExitCode {
    match arguments::<Arguments>() {
        Ok(arguments) => wirelab_peer::main(Mqtt(arguments.protocol)),
        Err(code) => code,
    }
}

struct Mqtt(Version);

impl Protocol for Mqtt {
    fn describe(&self) -> Described {
        describe::mqtt(self.0)
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(self.0, setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(self.0, setup, sink)
    }

    fn requester(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        requester::connect(self.0, setup, outcomes)
    }

    fn responder(&self, setup: &Setup, responder: Responder) -> Result<Box<dyn Subscriber>, Fault> {
        responder::connect(self.0, setup, responder)
    }
}
