//! What both sides set, and how both wait for the server.

use std::fmt;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::client::{Client, ClientContext};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::types::RDKafkaErrorCode;
use wirelab_peer::{Fault, Reconnect, Setup};
use wirelab_transport::dial;
use wirelab_transport::tls::client_config_if_enabled;

use crate::describe::MAX_MESSAGE;

/// Each topic has one: Kafka keeps order within a partition.
pub const PARTITION: i32 = 0;
/// How long one question to the server waits for its answer.
const ASK: Duration = Duration::from_millis(500);

/// The settings of both sides.
///
/// # Errors
/// A fatal fault that names the option or the authority's file.
pub fn config(setup: &Setup) -> Result<ClientConfig, Fault> {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", setup.server().to_string())
        .set("client.id", &setup.client)
        // Room for the protocol's own bytes around the largest message.
        .set("message.max.bytes", (MAX_MESSAGE + 65_536).to_string())
        .set("socket.nagle.disable", "true")
        // It tries again by itself, at most this long after the last time; its own default is 10 s.
        .set("reconnect.backoff.max.ms", "500")
        // A link may stand still for longer than the library's own patience of a minute.
        .set("socket.timeout.ms", "300000");
    if client_config_if_enabled(setup, &[])?.is_some() {
        // It checks the certificate, and that it names the server, unless told not to.
        config
            .set("security.protocol", "ssl")
            .set("ssl.ca.location", setup.options.text("authority"));
    }
    Ok(config)
}

/// The topic's name: Kafka knows no separators but dots.
pub fn topic(setup: &Setup) -> String {
    setup
        .topic
        .replace(|c: char| !c.is_ascii_alphanumeric(), ".")
}

/// Hears what the library says of a connection that failed; the library itself tries again for ever.
pub struct Watch(Mutex<Sender<String>>);

impl Watch {
    /// A watch, and where its reasons arrive.
    pub fn new() -> (Self, Receiver<String>) {
        let (reasons, heard) = mpsc::channel();
        (Self(Mutex::new(reasons)), heard)
    }

    /// The library has called: tell the reason.
    pub fn failed(&self, reason: &str) {
        // Nobody listens any more when the peer ends.
        let _ = self
            .0
            .lock()
            .expect("a panic ends the peer")
            .send(reason.to_owned());
    }
}

/// Waits for reasons, on a thread of its own, and after each until the server answers again: tells that it does, or the reason when the option
/// `reconnect_s` allows no more time.
pub fn follow(
    setup: &Setup,
    mut reconnect: Reconnect,
    reasons: Receiver<String>,
    ask: impl Fn(Duration) -> KafkaResult<Option<()>> + Send + 'static,
    tell: impl Fn(Result<(), Fault>) + Send + 'static,
) {
    let setup = setup.clone();
    thread::spawn(move || {
        while let Ok(reason) = reasons.recv() {
            let back = loop {
                let Some((wait, limit)) = reconnect.next(setup.clock.now()) else {
                    break Err(fault(&setup, "connection to", reason));
                };
                thread::sleep(wait);
                if let Ok(Some(())) = ask(limit.min(ASK)) {
                    break Ok(());
                }
            };
            reconnect.succeeded();
            // It tells of each of its connections, and of each attempt.
            reasons.try_iter().for_each(drop);
            tell(back);
        }
    });
}

/// Asks the server until it has an answer. `ask` may take so long at once; before each, `poll` lets the library call its watch.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn until_answered<T>(
    setup: &Setup,
    reasons: &Receiver<String>,
    poll: impl Fn(),
    ask: impl Fn(Duration) -> KafkaResult<Option<T>>,
) -> Result<T, Fault> {
    let deadline = Instant::now() + setup.connect_timeout;
    loop {
        poll();
        if let Ok(reason) = reasons.try_recv() {
            return Err(refused(setup, reason));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(setup.timed_out("connect"));
        }
        match ask(left.min(ASK)) {
            Ok(Some(answer)) => return Ok(answer),
            Err(error) if !early(&error) => return Err(fault(setup, "connect", error)),
            _ => thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Whether the server knows the topic: the first to ask has it made.
///
/// # Errors
/// What the library says, also while the server is not ready.
pub fn has_topic<C: ClientContext>(
    client: &Client<C>,
    topic: &str,
    within: Duration,
) -> KafkaResult<Option<()>> {
    let known = client.fetch_metadata(Some(topic), within)?;
    let made = known
        .topics()
        .iter()
        .any(|topic| topic.partitions().len() == 1);
    Ok(made.then_some(()))
}

/// Whether the server has only not answered yet, or has not yet made all of a topic.
fn early(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(
            RDKafkaErrorCode::OperationTimedOut
                | RDKafkaErrorCode::BrokerTransportFailure
                | RDKafkaErrorCode::LeaderNotAvailable
                | RDKafkaErrorCode::NotLeaderForPartition
                | RDKafkaErrorCode::UnknownPartition
                | RDKafkaErrorCode::UnknownTopicOrPartition
        )
    )
}

/// The library says of a certificate only that it could not be verified; another one, asked about it, says why.
fn refused(setup: &Setup, reason: String) -> Fault {
    let tls = client_config_if_enabled(setup, &[]).ok().flatten();
    tls.and_then(|tls| dial(setup, Some(tls)).err())
        .unwrap_or_else(|| fault(setup, "connect", reason))
}

/// A fatal fault that names the server.
pub fn fault(setup: &Setup, what: &str, why: impl fmt::Display) -> Fault {
    Fault::fatal(format!("{what} {}", setup.server()), why)
}
