//! Creates streams and connections, with a time limit for reconnecting.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_xmpp::stanzastream::{Connection, StanzaStream};
use wirelab_peer::Reconnect;
use wirelab_transport::relay::lock;

use crate::connection::{Login, negotiated};

/// Minimum capacity of the library's queues, in stanzas.
const BASE_QUEUE_DEPTH: usize = 100;

/// Creates the streams of a session, one after the other.
#[derive(Clone)]
pub(super) struct Connector {
    login: Login,
    /// Capacity of each of the library's queues, in stanzas.
    depth: usize,
    /// Whether the session sends messages.
    pub(super) sends: bool,
    /// The reconnection limit.
    pub(super) reconnect: Arc<Mutex<Reconnect>>,
    /// Called when reconnecting has failed.
    broken: Arc<dyn Fn() + Send + Sync>,
}

impl Connector {
    pub(super) fn new(
        login: Login,
        sends: Option<usize>,
        broken: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self {
            // The queue must never be full: it does not drain while the stream is broken, and
            // sending would block before the break is noticed.
            depth: BASE_QUEUE_DEPTH + sends.unwrap_or(0),
            sends: sends.is_some(),
            reconnect: Arc::new(Mutex::new(login.reconnect.clone())),
            broken: Arc::new(broken),
            login,
        }
    }

    /// Whether the server keeps unacknowledged stanzas (stream management).
    pub(super) fn managed(&self) -> bool {
        self.login.managed
    }

    /// The time limit for the server's answer on a resumed stream. Prosody 0.12.3 may no longer
    /// process such a stream (docs/reference/protocols/xmpp.md).
    pub(super) fn answer_timeout(&self) -> Duration {
        self.login.answer_timeout
    }

    /// The first stream; `refused` gets the reason if its first connection fails.
    pub(super) fn first(&self, refused: impl FnOnce(String) + Send + 'static) -> StanzaStream {
        self.stream(Some(refused))
    }

    /// A stream that replaces a broken one.
    pub(super) fn again(&self) -> StanzaStream {
        self.stream(None::<fn(String)>)
    }

    fn stream(&self, mut refused: Option<impl FnOnce(String) + Send + 'static>) -> StanzaStream {
        let connector = self.clone();
        let connect = move |_: Option<String>, mut slot: oneshot::Sender<Connection>| {
            let (connector, refused) = (connector.clone(), refused.take());
            tokio::spawn(async move {
                let made = tokio::select! {
                    made = connector.connection(refused) => made,
                    // The stream has been abandoned.
                    () = slot.closed() => return,
                };
                match made {
                    Some(connection) => drop(slot.send(connection)),
                    // The library panics if its request is not answered.
                    None => slot.closed().await,
                }
            });
        };
        StanzaStream::new(Box::new(connect), self.depth)
    }

    /// A connection; when reconnecting, within the time limit.
    async fn connection(self, refused: Option<impl FnOnce(String)>) -> Option<Connection> {
        if let Some(refused) = refused {
            let made = negotiated(self.login).await;
            return made.map_err(|error| refused(error.to_string())).ok();
        }
        loop {
            let Some((wait, limit)) = lock(&self.reconnect).next(self.login.clock.now()) else {
                (self.broken)();
                return None;
            };
            sleep(wait).await;
            if let Ok(Ok(connection)) = timeout(limit, negotiated(self.login.clone())).await {
                return Some(connection);
            }
        }
    }
}
