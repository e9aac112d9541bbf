//! CoAP peer: NON and CON messages to an observable resource, and their observer.

mod dial;
mod publisher;
mod requester;
mod responder;
mod settings;
mod subscriber;

use std::collections::BTreeMap;
use std::process::ExitCode;

use wirelab_peer::{
    CONTRACT, Delivery, Described, Desk, Fault, Inbox, Outcomes, Protocol, Publisher, Qos, Role,
    Setup, Subscriber,
};

/// The receive buffer asked for, in bytes.
const RECEIVE_BUFFER: usize = 4 << 20;

struct Coap;

fn main() -> ExitCode {
    wirelab_peer::main(Coap)
}

impl Protocol for Coap {
    fn describe(&self) -> Described {
        Described {
            contract: CONTRACT,
            name: "coap-coap-lite".into(),
            protocol: "coap".into(),
            library: "coap-lite with wirelab-coap".into(),
            version: wirelab_coap::CODEC_VERSION.into(),
            language: "rust".into(),
            roles: vec![
                Role::Publisher,
                Role::Subscriber,
                Role::Requester,
                Role::Responder,
            ],
            qos: vec![
                Qos::new("non", Delivery::BestEffort, false),
                // Given up after MAX_RETRANSMIT, so confirmable is a strong attempt and no promise; see docs/protocols/coap.md.
                Qos::new("con", Delivery::BestEffort, true),
            ],
            ordered: false,
            max_message: 16 << 20,
            servers: vec!["coap".into()],
            options: settings::defaults()
                .map(|(name, value)| (name.into(), value.into()))
                .collect::<BTreeMap<_, _>>(),
        }
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes, false)
    }

    fn subscriber(&self, setup: &Setup, inbox: Inbox) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, inbox)
    }

    fn requester(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        requester::connect(setup, outcomes)
    }

    fn responder(&self, setup: &Setup, desk: Desk) -> Result<Box<dyn Subscriber>, Fault> {
        responder::connect(setup, desk)
    }
}
