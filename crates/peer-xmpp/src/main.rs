//! `wirelab-peer-xmpp`: XMPP messages through tokio-xmpp. See `docs/reference/protocols/xmpp.md`.

mod body;
mod connection;
mod describe;
mod publisher;
mod requester;
mod responder;
mod session;
mod subscriber;

use std::process::ExitCode;

use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Responder, Setup, Subscriber,
};

fn main() -> ExitCode {
    wirelab_peer::main(Xmpp)
}

struct Xmpp;

impl Protocol for Xmpp {
    fn describe(&self) -> Described {
        describe::xmpp()
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, sink)
    }

    fn requester(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        requester::connect(setup, outcomes)
    }

    fn responder(&self, setup: &Setup, responder: Responder) -> Result<Box<dyn Subscriber>, Fault> {
        responder::connect(setup, responder)
    }
}
