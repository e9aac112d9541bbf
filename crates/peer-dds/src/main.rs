//! `wirelab-peer-dds`: DDS through Cyclone DDS, without a server. See
//! `docs/reference/protocols/dds.md`.

mod batch;
mod configuration;
mod cyclone;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use wirelab_dds::described;
use wirelab_peer::PublishSubscribe;

/// Options of this library only, and their defaults; docs/reference/protocols/dds.md explains them.
const OPTIONS: [(&str, &str); 3] = [
    ("batch_messages", "1"),
    ("batch_ms", "5"),
    ("fragment_bytes", "1344"),
];

fn main() -> ExitCode {
    wirelab_peer::main(PublishSubscribe {
        describe: || {
            described(
                "dds-cyclone",
                "cyclonedds",
                cyclone::version(),
                "c",
                &OPTIONS,
            )
        },
        publisher: |setup, _| publisher::connect(setup),
        subscriber: subscriber::connect,
    })
}
