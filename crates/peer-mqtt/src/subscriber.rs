//! The subscriber.

use rumqttc::QoS;
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};

use crate::Version;
use crate::connection::{Connection, Side, qos};
use crate::library::ClientEvent;

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(
    version: Version,
    setup: &Setup,
    sink: DeliverySink,
) -> Result<Box<dyn Subscriber>, Fault> {
    let arrivals = Arrivals {
        sink,
        topic: setup.topic.clone(),
        qos: qos(&setup.qos),
    };
    let (topic, asked) = (setup.topic.clone(), qos(&setup.qos));
    Connection::open(version, setup, arrivals, move |client| {
        client.subscribe(&topic, asked)
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
    sink: DeliverySink,
    topic: String,
    qos: QoS,
}

impl Side for Arrivals {
    fn event(&mut self, happened: ClientEvent) -> Option<Result<(), Fault>> {
        match happened {
            ClientEvent::Arrived(arrived) => {
                self.sink.deliver(&arrived.message, arrived.duplicate);
                None
            }
            ClientEvent::Subscribed(granted) => Some(is_granted(&self.topic, self.qos, granted)),
            _ => None,
        }
    }

    fn reconnected(&mut self) {
        self.sink.reconnected();
    }

    fn broken(&mut self, fault: Fault) {
        self.sink.fault(fault);
    }
}

/// Whether the server granted the requested QoS level.
///
/// # Errors
/// A fatal fault that names the topic.
pub fn is_granted(topic: &str, asked: QoS, granted: Result<QoS, String>) -> Result<(), Fault> {
    match granted {
        Ok(granted) if granted == asked => Ok(()),
        other => Err(Fault::fatal(
            format!("subscribe {topic}"),
            format!("requested {asked:?}, granted {other:?}"),
        )),
    }
}
