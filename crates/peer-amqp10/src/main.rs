//! `wirelab-peer-amqp10`: AMQP 1.0 through fe2o3-amqp. See `docs/reference/protocols/amqp10.md`.

mod connection;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::PublishSubscribe;

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: describe::amqp10,
        publisher: publisher::connect,
        subscriber: subscriber::connect,
    })
}
