//! `wirelab-peer-fastdds`: DDS through eProsima Fast DDS, without a server. See `docs/protocols/dds.md`.

mod describe;
mod fast;
mod flow;
mod publisher;
mod raw;
mod settings;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::{Described, Fault, Inbox, Outcomes, Protocol, Publisher, Setup, Subscriber};

fn main() -> ExitCode {
    // SAFETY: no other thread runs yet.
    unsafe {
        // Fast DDS would look for this server in place of the other peer.
        std::env::remove_var("ROS_DISCOVERY_SERVER");
    }
    wirelab_peer::main(FastDds)
}

struct FastDds;

impl Protocol for FastDds {
    fn describe(&self) -> Described {
        describe::dds()
    }

    fn publisher(&self, setup: &Setup, _outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup)
    }

    fn subscriber(&self, setup: &Setup, inbox: Inbox) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, inbox)
    }
}

/// The topic on which a subscriber says that it has found the publisher.
///
/// Discovery is not symmetric: that a writer has found a reader does not mean that the reader has found the writer, and until then
/// a best-effort sample is lost.
fn ready_topic(setup: &Setup) -> String {
    format!("{}/ready", setup.topic)
}
