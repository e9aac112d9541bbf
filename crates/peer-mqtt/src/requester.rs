//! The requester: one connection for all requests, or one connection per request.
//!
//! MQTT 3.1.1 has no requests. A request is published under one topic and its answer under another,
//! to which the requester subscribes: `T/request/CLIENT/SEQ` and `T/answer/CLIENT/SEQ`.

mod per_request_connection;
mod topics;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rumqttc::QoS;
use wirelab_peer::{Fault, Outcomes, Publisher, Request, Setup};

pub use self::topics::Topics;
use self::topics::seq_of;

use crate::Version;
use crate::connection::{Connection, Side, qos};
use crate::library::ClientEvent;
use crate::subscriber::is_granted;

/// Whether PUT and DELETE are answered by the responder, as GET is. Otherwise they end when the
/// broker acknowledges them.
///
/// # Errors
/// A fatal fault that names the option.
pub fn reports_are_answered(setup: &Setup) -> Result<bool, Fault> {
    let words = [("answered", true), ("acknowledged", false)];
    setup.options.one_of("reports", words)
}

/// Connects a requester.
///
/// # Errors
/// A fatal fault that names the server or an option.
pub fn connect(
    version: Version,
    setup: &Setup,
    outcomes: Outcomes,
) -> Result<Box<dyn Publisher>, Fault> {
    let all_answered = reports_are_answered(setup)?;
    if setup
        .options
        .one_of("connection", [("kept", false), ("each", true)])?
    {
        per_request_connection::connect(version, setup, outcomes, all_answered)
    } else {
        connect_persistent(version, setup, outcomes, all_answered)
    }
}

fn connect_persistent(
    version: Version,
    setup: &Setup,
    outcomes: Outcomes,
    all_answered: bool,
) -> Result<Box<dyn Publisher>, Fault> {
    let (topics, asked) = (Topics::new(setup), qos(&setup.qos));
    let (handed_over, taken) = std::sync::mpsc::channel();
    let on_wire = Arc::new(AtomicU64::new(0));
    let side = Answers {
        outcomes,
        qos: asked,
        answers: topics.answer('+'),
        taken,
        reports: vec![None; usize::from(u16::MAX) + 1],
        on_wire: Arc::clone(&on_wire),
    };
    let answers = side.answers.clone();
    let connection = Connection::open(version, setup, side, move |client| {
        client.subscribe(&answers, asked)
    })?;
    Ok(Box::new(PersistentConnection {
        connection,
        topics,
        qos: asked,
        all_answered,
        handed_over,
        sent: 0,
        on_wire,
    }))
}

struct PersistentConnection {
    connection: Connection,
    topics: Topics,
    qos: QoS,
    all_answered: bool,
    /// For each request in order: its number if the broker's acknowledgement ends it.
    handed_over: std::sync::mpsc::Sender<Option<u64>>,
    sent: u64,
    on_wire: Arc<AtomicU64>,
}

impl Publisher for PersistentConnection {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let report = !self.all_answered && Request::is_report(message);
        self.sent += 1;
        let _ = self.handed_over.send(report.then_some(seq));
        let topic = self.topics.request(seq);
        self.connection
            .client
            .publish(&topic, self.qos, false, message)
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.connection.flush(&self.on_wire, self.sent);
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.connection.close();
    }
}

/// Handles the answers on a persistent connection.
struct Answers {
    outcomes: Outcomes,
    qos: QoS,
    answers: String,
    taken: std::sync::mpsc::Receiver<Option<u64>>,
    /// The latest report of each packet identifier.
    reports: Vec<Option<u64>>,
    on_wire: Arc<AtomicU64>,
}

impl Answers {
    /// The library reports each publication after flushing it, in the order of hand-over.
    fn written(&mut self, id: u16) {
        let report = self.taken.recv().ok().flatten();
        self.on_wire.fetch_add(1, Ordering::Release);
        match (report, self.qos) {
            (Some(seq), QoS::AtMostOnce) => self.outcomes.answered(seq),
            _ => self.reports[usize::from(id)] = report,
        }
    }
}

impl Side for Answers {
    fn event(&mut self, happened: ClientEvent) -> Option<Result<(), Fault>> {
        match happened {
            ClientEvent::Written(id) => self.written(id),
            ClientEvent::Acknowledged(id) => {
                if let Some(seq) = self.reports[usize::from(id)].take() {
                    self.outcomes.answered(seq);
                }
            }
            ClientEvent::Arrived(arrived) => {
                if let Some(seq) = seq_of(&arrived.topic) {
                    self.outcomes.answered(seq);
                }
            }
            ClientEvent::Subscribed(granted) => {
                return Some(is_granted(&self.answers, self.qos, granted));
            }
            _ => {}
        }
        None
    }

    fn reconnected(&mut self) {
        self.outcomes.reconnected();
    }

    fn broken(&mut self, fault: Fault) {
        self.outcomes.fault(fault);
    }
}
