//! `wirelab-peer-http3`: HTTP/3 through h3 on quinn. See `docs/reference/protocols/http3.md`.

mod connection;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::PublishSubscribe;

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: describe::http3,
        publisher: publisher::connect,
        subscriber: subscriber::connect,
    })
}
