//! The responder: an ordinary client of the broker.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use bytes::Bytes;
use rumqttc::QoS;
use wirelab_peer::{Fault, Request, Responder, Setup, Subscriber};

use crate::Version;
use crate::connection::{Connection, Side, qos};
use crate::library::{Arrived, ClientEvent};
use crate::requester::{Topics, reports_are_answered};
use crate::subscriber::is_granted;

/// Connects and subscribes to all requests.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(
    version: Version,
    setup: &Setup,
    mut responder: Responder,
) -> Result<Box<dyn Subscriber>, Fault> {
    let all_answered = reports_are_answered(setup)?;
    let topic = Topics::new(setup).every_request();
    let asked = qos(&setup.qos);
    let (arrivals, arrived) = mpsc::channel();
    let side = Requests {
        arrivals,
        topic: topic.clone(),
        qos: asked,
    };
    let connection = Connection::open(version, setup, side, move |client| {
        client.subscribe(&topic, asked)
    })?;
    let client = connection.client.clone();
    // The library's thread must not wait for its own queue, so another thread answers.
    thread::spawn(move || {
        let answered = answer_all(&arrived, &mut responder, all_answered, |topic, body| {
            client.publish(topic, asked, false, body)
        });
        if let Err(fault) = answered {
            responder.fault(fault);
        }
    });
    Ok(Box::new(Mqtt(connection)))
}

/// A request, or `None` for a reconnection.
type RequestEvent = Result<Option<Arrived>, Fault>;

/// Answers until the connection ends.
fn answer_all(
    arrived: &Receiver<RequestEvent>,
    responder: &mut Responder,
    all_answered: bool,
    publish: impl Fn(&str, &[u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for happening in arrived {
        let Some(request) = happening? else {
            responder.reconnected();
            continue;
        };
        let answer = responder.answer(&request.message, request.duplicate);
        if !all_answered && Request::is_report(&request.message) {
            continue;
        }
        if let Some(topic) = answer_topic(&request.topic) {
            publish(&topic, &answer.body)?;
        }
    }
    Ok(())
}

fn answer_topic(request: &Bytes) -> Option<String> {
    std::str::from_utf8(request)
        .ok()
        .and_then(Topics::answer_to)
}

struct Mqtt(Connection);

impl Subscriber for Mqtt {
    fn close(self: Box<Self>) {
        self.0.close();
    }
}

struct Requests {
    arrivals: Sender<RequestEvent>,
    topic: String,
    qos: QoS,
}

impl Side for Requests {
    fn event(&mut self, happened: ClientEvent) -> Option<Result<(), Fault>> {
        match happened {
            ClientEvent::Arrived(arrived) => {
                // The receiver is closed only while the peer is exiting.
                let _ = self.arrivals.send(Ok(Some(arrived)));
                None
            }
            ClientEvent::Subscribed(granted) => Some(is_granted(&self.topic, self.qos, granted)),
            _ => None,
        }
    }

    fn reconnected(&mut self) {
        let _ = self.arrivals.send(Ok(None));
    }

    fn broken(&mut self, fault: Fault) {
        let _ = self.arrivals.send(Err(fault));
    }
}
