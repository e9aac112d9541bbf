//! One MQTT connection, polled by a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rumqttc::{
    Client, ClientError, ConnectionError, Event, EventLoop, Incoming, MqttOptions, NetworkOptions,
    Outgoing, QoS,
};
use wirelab_peer::{Fault, Setup};

use crate::describe::MAX_MESSAGE;

/// How long a DISCONNECT may take to leave.
const FAREWELL: Duration = Duration::from_millis(500);

/// What one side of a trial does with the connection's events.
pub trait Side: Send + 'static {
    /// An event of the library. `Some` once the connection can be used, or why it cannot be.
    fn event(&mut self, event: Event) -> Option<Result<(), Fault>>;
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
        setup: &Setup,
        side: impl Side,
        first: impl FnOnce(&Client) -> Result<(), ClientError>,
    ) -> Result<Self, Fault> {
        let (options, queue) = options(setup)?;
        let (client, connection) = Client::new(options, queue);
        first(&client).map_err(|error| Fault::fatal("subscribe", error))?;
        let mut events = connection.eventloop;
        // This limit would also break connections whose link stalls for longer; connecting is timed below.
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        network.set_connection_timeout(u64::from(u32::MAX));
        events.set_network_options(network);
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
        let asked = self.client.try_disconnect().is_ok();
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

fn options(setup: &Setup) -> Result<(MqttOptions, usize), Fault> {
    let server = setup.server();
    let host = if server.is_ipv6() {
        format!("[{}]", server.ip())
    } else {
        server.ip().to_string()
    };
    let mut options = MqttOptions::new(&setup.client, host, server.port());
    let inflight = setup.options.parse("inflight")?;
    if inflight == 0 {
        return Err(Fault::fatal(
            "option inflight",
            "0 would let no message out",
        ));
    }
    options
        .set_clean_session(true)
        .set_keep_alive(Duration::from_secs(
            setup.options.parse::<u16>("keep_alive_s")?.into(),
        ))
        .set_inflight(inflight)
        .set_max_packet_size(MAX_MESSAGE as usize + 65_539, MAX_MESSAGE as usize + 65_539);
    Ok((options, setup.options.parse("queue")?))
}

/// The thread that polls the library.
struct Poller<S> {
    what: String,
    usable: Option<Sender<Result<(), Fault>>>,
    leaving: Arc<AtomicBool>,
    side: S,
}

impl<S: Side> Poller<S> {
    fn run(mut self, mut events: EventLoop) {
        let runtime = match tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        {
            Ok(runtime) => runtime,
            Err(error) => return self.fail(Fault::fatal("network thread", error)),
        };
        runtime.block_on(async {
            loop {
                match events.poll().await {
                    Ok(Event::Outgoing(Outgoing::Disconnect)) => return,
                    Ok(Event::Incoming(Incoming::Disconnect)) => {
                        return self
                            .fail(Fault::fatal(&self.what, "the server closed the connection"));
                    }
                    Ok(event) => self.handle(event),
                    Err(error) => return self.fail(Fault::fatal(&self.what, why(&error))),
                }
            }
        });
    }

    fn handle(&mut self, event: Event) {
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

/// The cause without the library's own names of its layers.
fn why(error: &ConnectionError) -> String {
    match error {
        ConnectionError::Io(error) => error.to_string(),
        ConnectionError::MqttState(error) => error.to_string(),
        ConnectionError::ConnectionRefused(code) => format!("the server refused: {code:?}"),
        other => other.to_string(),
    }
}
