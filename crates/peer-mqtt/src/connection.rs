//! One MQTT connection, polled by a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rumqttc::QoS;
use wirelab_peer::{Fault, Setup};

use crate::Version;
use crate::library::{Client, Events, Happened, open};

/// How long a DISCONNECT may take to leave.
const FAREWELL: Duration = Duration::from_millis(500);

/// What one side of a trial does with the connection's events.
pub trait Side: Send + 'static {
    /// Something happened. `Some` once the connection can be used, or why it cannot be.
    fn event(&mut self, happened: Happened) -> Option<Result<(), Fault>>;
    /// The connection broke after it could be used.
    fn broken(&mut self, fault: Fault);
}

/// A connection in use.
pub struct Connection {
    pub client: Client,
    leaving: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Connection {
    /// Connects, makes the `first` request, and waits until `side` says that the connection can be used.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause, also when no answer comes in time.
    pub fn open(
        version: Version,
        setup: &Setup,
        side: impl Side,
        first: impl FnOnce(&Client) -> Result<(), Fault>,
    ) -> Result<Self, Fault> {
        let (client, events) = open(version, setup)?;
        first(&client)?;
        let leaving = Arc::new(AtomicBool::new(false));
        let (usable, waiting) = mpsc::channel();
        let poller = Poller {
            what: format!("connect {}", setup.server()),
            usable: Some(usable),
            leaving: Arc::clone(&leaving),
            side,
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
    pub fn ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Sends a DISCONNECT.
    pub fn close(self) {
        self.leaving.store(true, Ordering::Release);
        let deadline = Instant::now() + FAREWELL;
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
struct Poller<S> {
    what: String,
    usable: Option<Sender<Result<(), Fault>>>,
    leaving: Arc<AtomicBool>,
    side: S,
}

impl<S: Side> Poller<S> {
    fn run(mut self, mut events: Events) {
        let runtime = match tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        {
            Ok(runtime) => runtime,
            Err(error) => return self.fail(Fault::fatal("network thread", error)),
        };
        runtime.block_on(async {
            loop {
                match events.next().await {
                    Ok(Happened::Left) => return,
                    Ok(Happened::Closed(reason)) => {
                        let why = format!("the server closed the connection {reason}");
                        return self.fail(Fault::fatal(&self.what, why.trim()));
                    }
                    Ok(event) => self.handle(event),
                    Err(why) => return self.fail(Fault::fatal(&self.what, why)),
                }
            }
        });
    }

    fn handle(&mut self, event: Happened) {
        if let Some(usable) = self.side.event(event)
            && let Some(waiting) = self.usable.take()
        {
            // Nobody waits any more after a time-out; the peer is ending then.
            let _ = waiting.send(usable);
        }
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
