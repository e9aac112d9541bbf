//! What streams are made of, one after the other, and for how long a broken one is tried to be made again.

use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_xmpp::stanzastream::{Connection, StanzaStream};
use wirelab_peer::Reconnect;
use wirelab_transport::relay::lock;

use crate::connection::{Login, negotiated};

/// Stanzas that wait in the library, each way, where nothing else limits them.
const BASE_QUEUE_DEPTH: usize = 100;

/// What streams are made of, one after the other.
#[derive(Clone)]
pub(super) struct Connector {
    login: Login,
    /// Stanzas that may wait in the library, each way.
    depth: usize,
    /// Whether what is sent matters.
    pub(super) sends: bool,
    /// How long a stream that broke is tried to be made again.
    pub(super) reconnect: Arc<Mutex<Reconnect>>,
    /// Hears that it cannot be.
    broken: Arc<dyn Fn() + Send + Sync>,
}

impl Connector {
    pub(super) fn new(
        login: Login,
        sends: Option<usize>,
        broken: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self {
            // Handing a message over must not wait: the queue stands still while the stream is broken, and its end would not be heard.
            depth: BASE_QUEUE_DEPTH + sends.unwrap_or(0),
            sends: sends.is_some(),
            reconnect: Arc::new(Mutex::new(login.reconnect.clone())),
            broken: Arc::new(broken),
            login,
        }
    }

    /// Whether the server keeps what was under way.
    pub(super) fn managed(&self) -> bool {
        self.login.managed
    }

    /// The first stream; `refused` hears why its first connection cannot be made.
    pub(super) fn first(&self, refused: impl FnOnce(String) + Send + 'static) -> StanzaStream {
        self.stream(Some(refused))
    }

    /// A stream in place of one that broke.
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
                    // The stream has been given up.
                    () = slot.closed() => return,
                };
                match made {
                    Some(connection) => drop(slot.send(connection)),
                    // The library panics when its request goes unanswered.
                    None => slot.closed().await,
                }
            });
        };
        StanzaStream::new(Box::new(connect), self.depth)
    }

    /// A connection; in place of a broken one, if it can be made in time.
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
