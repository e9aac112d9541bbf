//! `wirelab-peer-fastdds`: DDS through eProsima Fast DDS, without a server. See
//! `docs/reference/protocols/dds.md`.

mod bindings;
mod ffi;
mod flow;
mod publisher;
mod settings;
mod subscriber;

use std::process::ExitCode;

use wirelab_dds::described;
use wirelab_peer::PublishSubscribe;

/// Options of this library only, and their defaults; docs/reference/protocols/dds.md explains them.
const OPTIONS: [(&str, &str); 4] = [
    ("flow_controller", "none"),
    ("flow_period_ms", "100"),
    ("heartbeat_ms", "3000"),
    ("max_samples", "5000"),
];

fn main() -> ExitCode {
    // SAFETY: no other thread runs yet.
    unsafe {
        // Fast DDS would connect to this server instead of the other peer.
        std::env::remove_var("ROS_DISCOVERY_SERVER");
    }
    wirelab_peer::main(PublishSubscribe {
        describe: || described("dds-fastdds", "fastdds", ffi::version(), "c++", &OPTIONS),
        publisher: |setup, _| publisher::connect(setup),
        subscriber: subscriber::connect,
    })
}
