//! One connection per request: connect, subscribe if an answer is expected, publish, wait for the
//! end of the request, disconnect.

use std::sync::mpsc;
use std::thread;

use rumqttc::QoS;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use wirelab_peer::{Fault, Outcomes, Publisher, Request, Setup};

use super::Topics;
use crate::Version;
use crate::connection::qos;
use crate::events::Events;
use crate::library::{ClientEvent, open_short_lived};

/// Starts the thread that runs all connections, after a first connection has shown that the server
/// is reachable.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(
    version: Version,
    setup: &Setup,
    outcomes: Outcomes,
    all_answered: bool,
) -> Result<Box<dyn Publisher>, Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fault::fatal("network thread", error))?;
    let (requests, mut asked) = unbounded_channel::<PendingRequest>();
    let (tried, waiting) = mpsc::channel();
    let common = setup.clone();
    thread::spawn(move || {
        runtime.block_on(async move {
            let first = probe(version, &common).await;
            let usable = first.is_ok();
            let _ = tried.send(first);
            while usable && let Some(request) = asked.recv().await {
                let (own, outcomes) = (with_own_client_id(&common, request.seq), outcomes.clone());
                tokio::spawn(async move {
                    if let Err(why) = request.run(version, &own, &outcomes).await {
                        outcomes.failed(request.seq);
                        outcomes.fault(Fault::minor(format!("request {}", request.seq), why));
                    }
                });
            }
        });
    });
    match waiting.recv_timeout(setup.connect_timeout) {
        Ok(Ok(())) => Ok(Box::new(PerRequestConnection {
            topics: Topics::new(setup),
            qos: qos(&setup.qos),
            all_answered,
            requests,
        })),
        Ok(Err(why)) => Err(Fault::fatal(format!("connect {}", setup.server()), why)),
        Err(_) => Err(setup.timed_out("connect")),
    }
}

/// The settings of one connection. Client names must be unique at a broker.
fn with_own_client_id(setup: &Setup, seq: u64) -> Setup {
    Setup {
        client: format!("{}-{seq}", setup.client),
        ..setup.clone()
    }
}

async fn probe(version: Version, setup: &Setup) -> Result<(), String> {
    let (client, mut events) =
        open_short_lived(version, setup).map_err(|fault| fault.to_string())?;
    loop {
        match events.next().await? {
            ClientEvent::Connected { .. } if !client.disconnect() => {
                return Err("the request queue is full".into());
            }
            ClientEvent::Left => return Ok(()),
            ClientEvent::Closed(why) => return Err(why),
            _ => {}
        }
    }
}

struct PerRequestConnection {
    topics: Topics,
    qos: QoS,
    all_answered: bool,
    requests: UnboundedSender<PendingRequest>,
}

impl Publisher for PerRequestConnection {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let report = !self.all_answered && Request::is_report(message);
        let request = PendingRequest {
            seq,
            qos: self.qos,
            request: self.topics.request(seq),
            answer: (!report).then(|| self.topics.answer(seq)),
            message: message.to_vec(),
        };
        self.requests
            .send(request)
            .map_err(|_| Fault::fatal("send", "the network thread has ended"))
    }

    /// Nothing reports when the last byte has been sent; each request reports its own end.
    fn flush(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

/// One request, from connecting to disconnecting. Without an answer topic it ends when the broker
/// has it.
struct PendingRequest {
    seq: u64,
    qos: QoS,
    request: String,
    answer: Option<String>,
    message: Vec<u8>,
}

impl PendingRequest {
    /// Reports when the request is answered, then disconnects.
    ///
    /// # Errors
    /// Why the request was not answered.
    async fn run(
        &self,
        version: Version,
        setup: &Setup,
        outcomes: &Outcomes,
    ) -> Result<(), String> {
        let (client, mut events) =
            open_short_lived(version, setup).map_err(|fault| fault.to_string())?;
        loop {
            let over = match (events.next().await?, &self.answer) {
                (ClientEvent::Connected { .. }, Some(answer)) => {
                    client.subscribe(answer, self.qos)?;
                    false
                }
                (ClientEvent::Connected { .. }, None) | (ClientEvent::Subscribed(Ok(_)), _) => {
                    client.publish(&self.request, self.qos, &self.message)?;
                    false
                }
                (ClientEvent::Subscribed(Err(why)) | ClientEvent::Closed(why), _) => {
                    return Err(why);
                }
                (ClientEvent::Arrived(_), Some(_)) | (ClientEvent::Acknowledged(_), None) => true,
                (ClientEvent::Written(_), None) => self.qos == QoS::AtMostOnce,
                (ClientEvent::Refused(_), _) => return Err("the server refused the request".into()),
                _ => false,
            };
            if over {
                outcomes.answered(self.seq);
                client.disconnect();
                leave(events).await;
                return Ok(());
            }
        }
    }
}

/// Waits until the DISCONNECT is sent, or fails.
async fn leave(mut events: Events) {
    while !matches!(events.next().await, Ok(ClientEvent::Left) | Err(_)) {}
}
