//! The part that relays share: `ready` line, accept loop and subscriptions.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use wirelab_peer::contract::Ready;
use wirelab_peer::server::{refuse, serve_until_stopped};

/// Prints the `ready` line, then blocks until shutdown. Returns the exit code.
pub fn serve(name: &str, version: &str, listen: SocketAddr, limits: &[(&str, u64)]) -> ExitCode {
    let limits = limits
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.into()));
    let ready = Ready {
        name: name.to_owned(),
        version: version.to_owned(),
        listen: listen.to_string(),
        limits: BTreeMap::from_iter(limits),
    };
    match serve_until_stopped(&ready) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse("signals", error),
    }
}

/// Accepts clients forever. Each client is served on its own thread.
pub fn accept_all(
    listener: &TcpListener,
    client: impl Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static,
) {
    let client = Arc::new(client);
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                let client = Arc::clone(&client);
                thread::spawn(move || {
                    if let Err(error) = client(stream) {
                        eprintln!("client: {error}");
                    }
                });
            }
            Err(error) => {
                eprintln!("accept: {error}");
                // Most likely out of file descriptors: retrying at once would spin.
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
}

/// Subscribers by topic; `S` is how a subscriber is reached.
pub struct Topics<S>(Mutex<HashMap<String, Vec<Arc<S>>>>);

impl<S> Default for Topics<S> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<S> Topics<S> {
    /// Adds a subscriber.
    pub fn join(&self, topic: &str, subscriber: Arc<S>) {
        lock(&self.0)
            .entry(topic.to_owned())
            .or_default()
            .push(subscriber);
    }

    /// Removes a subscriber.
    pub fn leave(&self, topic: &str, subscriber: &Arc<S>) {
        if let Some(subscribers) = lock(&self.0).get_mut(topic) {
            subscribers.retain(|other| !Arc::ptr_eq(other, subscriber));
        }
    }

    /// The subscribers of a topic.
    pub fn subscribers(&self, topic: &str) -> Vec<Arc<S>> {
        lock(&self.0).get(topic).cloned().unwrap_or_default()
    }
}

#[cfg(feature = "tokio")]
mod queues {
    use std::sync::Arc;

    use bytes::Bytes;
    use tokio::sync::mpsc::{Receiver, Sender, channel};

    use super::Topics;

    /// Maximum number of messages queued for one subscriber. A full queue blocks its publishers;
    /// nothing is dropped.
    pub const QUEUE: usize = 64;

    /// The receiving end of a subscription; dropping it unsubscribes.
    pub struct Subscription {
        topics: Arc<Topics<Sender<Bytes>>>,
        topic: String,
        sender: Arc<Sender<Bytes>>,
        /// Messages published since the subscription.
        pub messages: Receiver<Bytes>,
    }

    impl Topics<Sender<Bytes>> {
        /// Subscribes to a topic.
        pub fn subscribe(self: &Arc<Self>, topic: &str) -> Subscription {
            let (sender, messages) = channel(QUEUE);
            let sender = Arc::new(sender);
            self.join(topic, Arc::clone(&sender));
            Subscription {
                topics: Arc::clone(self),
                topic: topic.to_owned(),
                sender,
                messages,
            }
        }

        /// Queues a message for each subscriber; waits while a queue is full.
        pub async fn publish(&self, topic: &str, message: Bytes) {
            for subscriber in self.subscribers(topic) {
                // The subscriber may have left in the meantime.
                let _ = subscriber.send(message.clone()).await;
            }
        }
    }

    impl Drop for Subscription {
        fn drop(&mut self) {
            self.topics.leave(&self.topic, &self.sender);
        }
    }
}

#[cfg(feature = "tokio")]
pub use queues::{QUEUE, Subscription};

/// Locks a mutex, also after a panic: no data here is left inconsistent by one.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
