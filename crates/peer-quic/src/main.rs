//! `wirelab-peer-quic`: QUIC through quinn. See `docs/reference/protocols/quic.md`.

mod connection;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::PublishSubscribe;

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: describe::quic,
        publisher: publisher::connect,
        subscriber: subscriber::connect,
    })
}
