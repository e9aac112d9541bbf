//! The subscribing side.

use rumqttc::QoS;
use wirelab_peer::{Fault, Inbox, Setup, Subscriber};

use crate::Version;
use crate::connection::{Connection, Side, qos};
use crate::library::Happened;

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(
    version: Version,
    setup: &Setup,
    inbox: Inbox,
) -> Result<Box<dyn Subscriber>, Fault> {
    let arrivals = Arrivals {
        inbox,
        topic: setup.topic.clone(),
        qos: qos(&setup.qos),
    };
    Connection::open(version, setup, arrivals, |client| {
        client.subscribe(&setup.topic, qos(&setup.qos))
    })
    .map(|connection| -> Box<dyn Subscriber> { Box::new(Mqtt(connection)) })
}

struct Mqtt(Connection);

impl Subscriber for Mqtt {
    fn close(self: Box<Self>) {
        self.0.close();
    }
}

struct Arrivals {
    inbox: Inbox,
    topic: String,
    qos: QoS,
}

impl Side for Arrivals {
    fn event(&mut self, happened: Happened) -> Option<Result<(), Fault>> {
        match happened {
            Happened::Arrived(message, duplicate) => {
                self.inbox.deliver(&message, duplicate);
                None
            }
            Happened::Subscribed(granted) => Some(match granted {
                Ok(granted) if granted == self.qos => Ok(()),
                other => Err(Fault::fatal(
                    format!("subscribe {}", self.topic),
                    format!("asked for {:?}, the server granted {other:?}", self.qos),
                )),
            }),
            _ => None,
        }
    }

    fn broken(&mut self, fault: Fault) {
        self.inbox.fault(fault);
    }
}
