//! `wirelab-peer-kafka`: Kafka through librdkafka. See `docs/reference/protocols/kafka.md`.

mod client;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::PublishSubscribe;

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: describe::kafka,
        publisher: publisher::connect,
        subscriber: subscriber::connect,
    })
}
