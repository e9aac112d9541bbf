//! `wirelab-peer-nats`: NATS, core and JetStream, through async-nats. See
//! `docs/reference/protocols/nats.md`.

mod connection;
mod describe;
mod publisher;
mod stream;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::PublishSubscribe;

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: describe::nats,
        publisher: publisher::connect,
        subscriber: subscriber::connect,
    })
}
