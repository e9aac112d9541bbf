//! `wirelab-peer-websocket`: WebSocket through tungstenite. See
//! `docs/reference/protocols/websocket.md`.

mod connection;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::PublishSubscribe;

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: describe::websocket,
        publisher: publisher::connect,
        subscriber: subscriber::connect,
    })
}
