//! Protocols with publishers and subscribers only.

use wirelab_contract::{Described, Fault};

use crate::delivery_sink::DeliverySink;
use crate::outcome::Outcomes;
use crate::protocol::{Protocol, Publisher, Setup, Subscriber};

/// A [`Protocol`] made of one function per method.
pub struct PublishSubscribe {
    /// [`Protocol::describe`].
    pub describe: fn() -> Described,
    /// [`Protocol::publisher`].
    pub publisher: fn(&Setup, Outcomes) -> Result<Box<dyn Publisher>, Fault>,
    /// [`Protocol::subscriber`].
    pub subscriber: fn(&Setup, DeliverySink) -> Result<Box<dyn Subscriber>, Fault>,
}

impl Protocol for PublishSubscribe {
    fn describe(&self) -> Described {
        (self.describe)()
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        (self.publisher)(setup, outcomes)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        (self.subscriber)(setup, sink)
    }
}
