//! `wirelab-peer-zmq`: ZeroMQ PUB/SUB through libzmq, without a server. See
//! `docs/reference/protocols/zmq.md`.

mod describe;
mod endpoint;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::PublishSubscribe;

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: describe::zmq,
        publisher: |setup, _| publisher::bind(setup),
        subscriber: subscriber::connect,
    })
}
