//! One MQTT connection, polled on its own thread.

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

/// How long sending a DISCONNECT may take.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// The role that handles a connection's events.
pub trait Side: Send + 'static {
    /// Handles an event. Returns `Some` once the connection is usable, or with the reason why it is
    /// not.
    fn event(&mut self, happened: ClientEvent) -> Option<Result<(), Fault>>;
    /// The connection was re-established.
    fn reconnected(&mut self);
    /// The connection broke after it had been usable, and could not be re-established.
    fn broken(&mut self, fault: Fault);
}

/// A usable connection.
pub struct Connection {
    pub client: Client,
    leaving: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Connection {
    /// Connects, makes the `first` request, and waits until `side` reports that the connection is
    /// usable. If the server has lost the session after a reconnection, the request is made again.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause, also on a timeout.
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

    /// Waits until `on_wire` has reached this number of publications, or the connection has ended.
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

/// The QoS level of a name that `prepare` has validated.
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
    /// The reason that the server gave for closing the connection.
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
        // The event loop must outlive the report: without it the library refuses messages, and that
        // error would hide the cause.
        if let Err(fault) = runtime.block_on(self.poll(&mut events)) {
            self.fail(fault);
        }
    }

    /// Polls until our DISCONNECT is sent.
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

    /// The connection broke: waits before the next attempt, and returns the time limit for it.
    async fn pause(&mut self, why: String) -> Result<Duration, Fault> {
        let fault = match self.said.take() {
            Some(why) => Fault::fatal(&self.what, why),
            None => Fault::fatal(&self.what, why),
        };
        // If the first connection fails, there is no reconnection.
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
            // After a timeout the receiver is gone; the peer is exiting.
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
