//! One bound XMPP stream that reconnects, and the thread that runs it.

mod connector;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use tokio_xmpp::Stanza;
use tokio_xmpp::jid::{FullJid, Jid};
use tokio_xmpp::parsers::iq::Iq;
use tokio_xmpp::parsers::ping::Ping;
use tokio_xmpp::parsers::presence::Presence;
use tokio_xmpp::stanzastream::{Event, StanzaStream, StanzaToken, StreamEvent};
use wirelab_peer::{Fault, Setup};
use wirelab_transport::relay::lock;

use self::connector::Connector;
use crate::connection::Login;

/// ID of the probe, a ping.
const PROBE_ID: &str = "wirelab-heard";
/// How long closing the stream may take.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// An event of a session.
#[expect(clippy::large_enum_variant, reason = "it is taken apart at once")]
pub enum SessionEvent {
    /// A stanza arrived.
    Stanza(Stanza),
    /// The stream was re-established.
    Back,
}

/// A stream that reconnects within the limit of the option `reconnect_s`.
pub struct Session {
    stream: StanzaStream,
    connector: Connector,
    /// The stream is broken and not yet re-established.
    suspended: bool,
    /// Deadline for the answer to the probe; a resumed stream is not used before it.
    asked: Option<Instant>,
}

impl Session {
    fn new(connector: Connector, stream: StanzaStream) -> Self {
        Self {
            stream,
            connector,
            suspended: false,
            asked: None,
        }
    }

    /// The next event; `None` when the stream is closed. Cancel-safe.
    pub async fn next(&mut self) -> Option<SessionEvent> {
        loop {
            let event = tokio::select! {
                event = self.stream.next() => event?,
                () = until(self.asked) => {
                    self.replace_stream();
                    continue;
                }
            };
            match event {
                Event::Stanza(Stanza::Iq(answer)) if answer.id() == PROBE_ID => {
                    if self.asked.take().is_some() {
                        return Some(self.back());
                    }
                }
                Event::Stanza(stanza) => return Some(SessionEvent::Stanza(stanza)),
                // The library tries to resume the same stream forever, even if the server has lost
                // it or does not process it.
                Event::Stream(StreamEvent::Suspended)
                    if !self.is_up() && self.connector.managed() =>
                {
                    self.replace_stream();
                }
                Event::Stream(StreamEvent::Suspended) => {
                    self.suspended = true;
                    self.asked = None;
                }
                Event::Stream(StreamEvent::Resumed) if self.connector.sends => {
                    self.suspended = false;
                    self.asked = Some(Instant::now() + self.connector.answer_timeout());
                    self.send(Stanza::Iq(Iq::from_get(PROBE_ID, Ping))).await;
                }
                Event::Stream(_) => return Some(self.back()),
            }
        }
    }

    /// Whether stanzas can be sent.
    pub fn is_up(&self) -> bool {
        !self.suspended && self.asked.is_none()
    }

    /// Replaces the stream by a new one, and drops what it held.
    fn replace_stream(&mut self) {
        self.stream = self.connector.again();
        self.suspended = true;
        self.asked = None;
    }

    fn back(&mut self) -> SessionEvent {
        self.suspended = false;
        lock(&self.connector.reconnect).succeeded();
        SessionEvent::Back
    }

    /// Sends a stanza; waits while the library's queue is full.
    pub async fn send(&self, stanza: Stanza) -> StanzaToken {
        self.stream.send(Box::new(stanza)).await
    }

    /// Announces presence, so that messages to the address are delivered to this stream.
    pub async fn announce_presence(&self) {
        self.send(Stanza::Presence(Presence::available())).await;
    }

    /// Closes the stream.
    pub async fn close(self) {
        self.stream.close().await;
    }

    /// A bound stream for the login, without reconnection.
    ///
    /// # Errors
    /// Why it could not be established.
    pub async fn connect_once(login: Login) -> Result<Self, String> {
        let (failed, why) = oneshot::channel();
        let connector = Connector::new(login, None, || {});
        let mut stream = connector.first(|why| drop(failed.send(why)));
        tokio::select! {
            Ok(why) = why => Err(why),
            bound = bound(&mut stream) => match bound {
                Some(_) => Ok(Self::new(connector, stream)),
                None => Err("the stream broke".to_owned()),
            },
        }
    }
}

/// A single-threaded runtime, driven by the calling thread.
///
/// # Errors
/// A fatal fault.
pub fn runtime() -> Result<Runtime, Fault> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fault::fatal("network thread", error))
}

/// Connects, logs in and binds the address, then passes the session to `use_it` on its own thread.
/// `sends` is the number of messages in flight, for sessions that send. `broken` is called if the
/// stream breaks for good.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn open<F: Future<Output = ()> + Send + 'static>(
    setup: &Setup,
    jid: FullJid,
    sends: Option<usize>,
    broken: impl Fn(Fault) + Send + Sync + 'static,
    use_it: impl FnOnce(Session) -> F + Send + 'static,
) -> Result<Handle, Fault> {
    let login = Login::new(setup, jid.clone())?;
    let (opened, waiting) = mpsc::channel();
    let what = format!("connect {}", setup.server());
    let lost = Fault::fatal(
        format!("connection to {}", setup.server()),
        "the stream broke",
    );
    let connector = Connector::new(login, sends, move || broken(lost.clone()));
    let runtime = runtime()?;
    let handle = runtime.handle().clone();
    thread::spawn(move || {
        runtime.block_on(async {
            let failed = opened.clone();
            let mut stream =
                connector.first(move |why| drop(failed.send(Err(Fault::fatal(&what, why)))));
            match bound(&mut stream).await {
                Some(given) if given == jid => {
                    let _ = opened.send(Ok(()));
                    use_it(Session::new(connector, stream)).await;
                }
                Some(given) => {
                    let why = format!("the server bound {given} instead");
                    let _ = opened.send(Err(Fault::fatal(format!("bind {jid}"), why)));
                }
                None => {}
            }
            std::future::pending::<()>().await;
        });
    });
    match waiting.recv_timeout(setup.connect_timeout) {
        Ok(result) => result.map(|()| handle),
        Err(_) => Err(setup.timed_out("connect")),
    }
}

/// Runs `close` on the stream's thread, and waits a limited time for it.
pub fn finish(handle: &Handle, close: impl Future<Output = ()> + Send + 'static) {
    let (done, closed) = mpsc::channel();
    handle.spawn(async move {
        close.await;
        let _ = done.send(());
    });
    let _ = closed.recv_timeout(CLOSE_TIMEOUT);
}

/// Waits until `then`, or forever.
async fn until(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => std::future::pending().await,
    }
}

/// Waits until the server has bound an address, and returns it.
async fn bound(stream: &mut StanzaStream) -> Option<Jid> {
    loop {
        if let Event::Stream(StreamEvent::Reset { bound_jid, .. }) = stream.next().await? {
            return Some(bound_jid);
        }
    }
}
