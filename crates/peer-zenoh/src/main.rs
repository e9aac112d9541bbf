//! `wirelab-peer-zenoh`: Zenoh, as a client of a router. See `docs/reference/protocols/zenoh.md`.

mod connection_monitor;
mod describe;
mod publisher;
mod session;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::PublishSubscribe;

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: describe::zenoh,
        publisher: publisher::connect,
        subscriber: subscriber::connect,
    })
}
