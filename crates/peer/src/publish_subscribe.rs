//! Protocols with publishers and subscribers only.

use wirelab_contract::{Described, Fault};

use crate::delivery_sink::DeliverySink;
use crate::outcome::Outcomes;
use crate::protocol::{Protocol, Publisher, Setup, Subscriber};

/// An endpoint of a peer, or the reason why it cannot be opened.
type Opened<T> = Result<Box<T>, Fault>;

/// A [`Protocol`] made of one function per method.
pub struct PublishSubscribe {
    /// [`Protocol::describe`].
    pub describe: fn() -> Described,
    /// [`Protocol::publisher`].
    pub publisher: fn(&Setup, Outcomes) -> Opened<dyn Publisher>,
    /// [`Protocol::subscriber`].
    pub subscriber: fn(&Setup, DeliverySink) -> Opened<dyn Subscriber>,
}

impl Protocol for PublishSubscribe {
    fn describe(&self) -> Described {
        (self.describe)()
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Opened<dyn Publisher> {
        (self.publisher)(setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Opened<dyn Subscriber> {
        (self.subscriber)(setup, sink)
    }
}
