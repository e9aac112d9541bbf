//! One MQTT connection, polled by a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rumqttc::QoS;
use tokio::time::{sleep, timeout};
use wirelab_peer::{Clock, Fault, Reconnect, Setup};

use crate::Version;
use crate::events::Events;
use crate::library::{Client, ClientEvent, open};

/// How long a DISCONNECT may take to leave.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// What one side of a trial does with the connection's events.
pub trait Side: Send + 'static {
    /// Something happened. `Some` once the connection can be used, or why it cannot be.
    fn event(&mut self, happened: ClientEvent) -> Option<Result<(), Fault>>;
    /// The connection had broken, and the server has accepted a new one.
    fn reconnected(&mut self);
    /// The connection broke after it could be used, and could not be made again.
    fn broken(&mut self, fault: Fault);
}

/// A connection in use.
pub struct Connection {
    pub client: Client,
    leaving: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Connection {
    /// Connects, makes the `first` request, and waits until `side` says that the connection can be used. Where the server has
    /// no session any more after the connection broke, the request is made again.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause, also when no answer comes in time.
    pub fn open(
        version: Version,
        setup: &Setup,
        side: impl Side,
        first: impl Fn(&Client) -> Result<(), Fault> + Send + 'static,
    ) -> Result<Self, Fault> {
        let (client, events) = open(version, setup)?;
        first(&client)?;
        let leaving = Arc::new(AtomicBool::new(false));
        let reconnect = Reconnect::read(&setup.options)?;
        let again = client.clone();
        let (usable, waiting) = mpsc::channel();
        let poller = Poller {
            what: format!("connect {}", setup.server()),
            usable: Some(usable),
            leaving: Arc::clone(&leaving),
            side,
            clock: Arc::clone(&setup.clock),
            reconnect,
            first: move || first(&again),
            said: None,
        };
        let thread = thread::spawn(move || poller.run(events));
        match waiting.recv_timeout(setup.connect_timeout) {
            Ok(usable) => usable.map(|()| Self {
                client,
                leaving,
                thread,
            }),
            Err(_) => Err(setup.timed_out("connect")),
        }
    }

    /// Whether the connection's thread has ended.
    fn ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits until so many publications are `on_wire`, or nothing can be written any more.
    pub fn flush(&self, on_wire: &AtomicU64, handed_over: u64) {
        while on_wire.load(Ordering::Acquire) < handed_over && !self.ended() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Sends a DISCONNECT.
    pub fn close(self) {
        self.leaving.store(true, Ordering::Release);
        let deadline = Instant::now() + CLOSE_TIMEOUT;
        let asked = self.client.disconnect();
        while asked && !self.thread.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The qos level of a name that `prepare` has checked.
pub fn qos(name: &str) -> QoS {
    match name {
        "0" => QoS::AtMostOnce,
        "1" => QoS::AtLeastOnce,
        _ => QoS::ExactlyOnce,
    }
}

/// The thread that polls the library.
struct Poller<S, F> {
    what: String,
    usable: Option<Sender<Result<(), Fault>>>,
    leaving: Arc<AtomicBool>,
    side: S,
    clock: Arc<dyn Clock>,
    reconnect: Reconnect,
    /// Makes the first request.
    first: F,
    /// The server's own reason to close the connection.
    said: Option<String>,
}

impl<S: Side, F: Fn() -> Result<(), Fault>> Poller<S, F> {
    fn run(mut self, mut events: Events) {
        let runtime = match tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        {
            Ok(runtime) => runtime,
            Err(error) => return self.fail(Fault::fatal("network thread", error)),
        };
        // The events outlive what is told: without them the library refuses messages, and its reason is not the cause.
        if let Err(fault) = runtime.block_on(self.poll(&mut events)) {
            self.fail(fault);
        }
    }

    /// Until our DISCONNECT has left.
    async fn poll(&mut self, events: &mut Events) -> Result<(), Fault> {
        let mut attempt = None;
        loop {
            let next = match attempt {
                None => events.next().await,
                Some(limit) => timeout(limit, events.next())
                    .await
                    .unwrap_or_else(|_| Err("no answer".into())),
            };
            match next {
                Ok(ClientEvent::Left) => return Ok(()),
                Ok(event) => self.handle(event, &mut attempt)?,
                Err(why) => attempt = Some(self.pause(why).await?),
            }
        }
    }

    /// The connection is broken: waits before the next attempt, and tells how long that may take.
    async fn pause(&mut self, why: String) -> Result<Duration, Fault> {
        let fault = match self.said.take() {
            Some(why) => Fault::fatal(&self.what, why),
            None => Fault::fatal(&self.what, why),
        };
        // A server that was never there is not waited for.
        if self.usable.is_some() || self.leaving.load(Ordering::Acquire) {
            return Err(fault);
        }
        let (wait, limit) = self.reconnect.next(self.clock.now()).ok_or(fault)?;
        sleep(wait).await;
        Ok(limit)
    }

    fn handle(&mut self, event: ClientEvent, attempt: &mut Option<Duration>) -> Result<(), Fault> {
        match &event {
            ClientEvent::Connected { resumed, .. } => {
                *attempt = None;
                if self.reconnect.succeeded() {
                    self.side.reconnected();
                    if !resumed {
                        (self.first)()?;
                    }
                }
            }
            ClientEvent::Closed(reason) => {
                let why = format!("the server closed the connection {reason}");
                self.said = Some(why.trim().into());
            }
            _ => {}
        }
        match (self.side.event(event), self.usable.take()) {
            // Nobody waits any more after a time-out; the peer is ending then.
            (Some(usable), Some(waiting)) => drop(waiting.send(usable)),
            (Some(usable), None) => usable?,
            (None, usable) => self.usable = usable,
        }
        Ok(())
    }

    fn fail(&mut self, fault: Fault) {
        match self.usable.take() {
            Some(waiting) => drop(waiting.send(Err(fault))),
            None if self.leaving.load(Ordering::Acquire) => {}
            None => self.side.broken(Fault {
                what: self.what.replacen("connect", "connection to", 1),
                ..fault
            }),
        }
    }
}
