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
    Described, Desk, Fault, Inbox, Outcomes, Protocol, Publisher, Setup, Subscriber,
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
