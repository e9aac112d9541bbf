//! What relays share: `ready`, the clients they accept, and who subscribes to what.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use wirelab_peer::contract::Ready;
use wirelab_peer::server::{refuse, serve_until_stopped};

/// Tells that a relay listens, and waits until it is told to end. The exit code.
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

/// Accepts clients for ever, each on a thread of its own.
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
                // Out of file descriptors, most likely: accepting again at once would only spin.
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
}

/// Where the messages of each topic go: `S` is how a subscriber is reached.
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

    /// Messages that wait for one subscriber. A full queue holds its publishers up: nothing is dropped.
    pub const QUEUE: usize = 64;

    /// A subscriber's end of its queue; it has left when this is dropped.
    pub struct Subscription {
        topics: Arc<Topics<Sender<Bytes>>>,
        topic: String,
        sender: Arc<Sender<Bytes>>,
        /// What was published since.
        pub messages: Receiver<Bytes>,
    }

    impl Topics<Sender<Bytes>> {
        /// A new subscriber.
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

        /// Puts a message into the queue of each subscriber; waits while one is full.
        pub async fn publish(&self, topic: &str, message: Bytes) {
            for subscriber in self.subscribers(topic) {
                // One that has left at this moment wants nothing.
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

/// A thread that panicked while it held a lock left nothing half done here.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
