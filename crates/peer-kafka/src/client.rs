//! Configuration of both roles, and waiting for the server.

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

/// Each topic has one partition, within which Kafka keeps the order.
pub const PARTITION: i32 = 0;
/// Time limit of one request to the server.
const ASK: Duration = Duration::from_millis(500);

/// The configuration that both roles share.
///
/// # Errors
/// A fatal fault that names the option or the authority's file.
pub fn config(setup: &Setup) -> Result<ClientConfig, Fault> {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", setup.server().to_string())
        .set("client.id", &setup.client)
        // Room for protocol overhead beside the largest message.
        .set("message.max.bytes", (MAX_MESSAGE + 65_536).to_string())
        .set("socket.nagle.disable", "true")
        // Maximum reconnection delay of the library; its default is 10 s.
        .set("reconnect.backoff.max.ms", "500")
        // A link may stall for longer than the library's default of a minute.
        .set("socket.timeout.ms", "300000");
    if client_config_if_enabled(setup, &[])?.is_some() {
        // By default it verifies the certificate and the server's name in it.
        config
            .set("security.protocol", "ssl")
            .set("ssl.ca.location", setup.options.text("authority"));
    }
    Ok(config)
}

/// The topic name: Kafka's only separator is the dot.
pub fn topic(setup: &Setup) -> String {
    setup
        .topic
        .replace(|c: char| !c.is_ascii_alphanumeric(), ".")
}

/// Collects the library's reports of failed connections; the library itself retries forever.
pub struct Watch(Mutex<Sender<String>>);

impl Watch {
    /// A watch, and the channel of its reports.
    pub fn new() -> (Self, Receiver<String>) {
        let (reasons, heard) = mpsc::channel();
        (Self(Mutex::new(reasons)), heard)
    }

    /// Called by the library with a reason.
    pub fn failed(&self, reason: &str) {
        // The receiver is closed only while the peer is exiting.
        let _ = self
            .0
            .lock()
            .expect("a panic ends the peer")
            .send(reason.to_owned());
    }
}

/// Waits on its own thread for reports, and after each until the server answers again. Then calls
/// `tell`, with a fault if the limit of the option `reconnect_s` was exceeded.
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
            // The library reports each of its connections and each attempt.
            reasons.try_iter().for_each(drop);
            tell(back);
        }
    });
}

/// Retries `ask` until the server answers. `ask` gets a time limit; `poll` lets the library call
/// its watch before each attempt.
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

/// Whether the server has the topic; the first request creates it.
///
/// # Errors
/// The library's error, also while the server is not ready.
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

/// Whether the server has not answered yet, or has not finished creating a topic.
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

/// The library only reports that a certificate could not be verified; rustls reports the reason.
fn refused(setup: &Setup, reason: String) -> Fault {
    let tls = client_config_if_enabled(setup, &[]).ok().flatten();
    tls.and_then(|tls| dial(setup, Some(tls)).err())
        .unwrap_or_else(|| fault(setup, "connect", reason))
}

/// A fatal fault that names the server.
pub fn fault(setup: &Setup, what: &str, why: impl fmt::Display) -> Fault {
    Fault::fatal(format!("{what} {}", setup.server()), why)
}
