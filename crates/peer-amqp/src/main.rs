//! `wirelab-peer-amqp`: AMQP 0-9-1 through lapin. See `docs/reference/protocols/amqp.md`.

mod connection;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::PublishSubscribe;

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: describe::amqp,
        publisher: publisher::connect,
        subscriber: subscriber::connect,
    })
}
