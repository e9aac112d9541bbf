//! `wirelab-peer-grpc`: gRPC through tonic. See `docs/reference/protocols/grpc.md`.

mod connection;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::PublishSubscribe;

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: describe::grpc,
        publisher: publisher::connect,
        subscriber: subscriber::connect,
    })
}
