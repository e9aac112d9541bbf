//! One XMPP stream, logged in and bound, and the thread that carries it.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use futures_util::StreamExt;
use sasl::common::{ChannelBinding, Credentials};
use tokio::io::BufStream;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_xmpp::connect::AsyncReadAndWrite;
use tokio_xmpp::jid::{FullJid, Jid};
use tokio_xmpp::parsers::presence::Presence;
use tokio_xmpp::parsers::stream_features::StreamFeatures;
use tokio_xmpp::stanzastream::{Connection, Event, StanzaStream, StreamEvent};
use tokio_xmpp::xmlstream::{StreamHeader, Timeouts, initiate_stream};
use tokio_xmpp::{Error, Stanza, client_login};
use wirelab_peer::{Clock, Fault, Reconnect, Setup};
use wirelab_transport::{relay::lock, tls};

use crate::describe::MANAGED;

const CLIENT: &str = "jabber:client";
/// Stanzas that wait in the library.
const QUEUE: usize = 100;
/// How long closing the stream may take.
const FAREWELL: Duration = Duration::from_millis(500);

/// Who the peers are: one account for each role.
pub fn jid(setup: &Setup, role: &str, resource: &str) -> Result<FullJid, Fault> {
    let text = format!("{role}@{}/{resource}", setup.options.text("domain"));
    FullJid::new(&text).map_err(|error| Fault::fatal(format!("address {text:?}"), error))
}

/// What a login takes.
#[derive(Clone)]
pub struct Login {
    server: SocketAddr,
    tls: Option<TlsConnector>,
    jid: FullJid,
    password: String,
    managed: bool,
    clock: Arc<dyn Clock>,
    reconnect: Reconnect,
}

impl Login {
    /// The login of an address.
    ///
    /// # Errors
    /// A fatal fault that names the option or the file.
    pub fn new(setup: &Setup, jid: FullJid) -> Result<Self, Fault> {
        Ok(Self {
            server: setup.server(),
            tls: tls::wanted(setup, &[])?.map(|config| Arc::new(config).into()),
            jid,
            password: setup.options.text("password").to_owned(),
            managed: setup.qos == MANAGED,
            clock: Arc::clone(&setup.clock),
            reconnect: Reconnect::read(&setup.options)?,
        })
    }

    /// The same login under another address.
    pub fn of(&self, jid: FullJid) -> Self {
        Self {
            jid,
            ..self.clone()
        }
    }

    /// A stream of its own, logged in and bound.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn stream(self) -> Result<StanzaStream, String> {
        let (failed, why) = oneshot::channel();
        let line = Line::new(&self);
        let mut stream = connect(self, line, |why| drop(failed.send(why)), || {});
        tokio::select! {
            Ok(why) = why => Err(why),
            bound = bound(&mut stream) => bound
                .map(|_| stream)
                .ok_or_else(|| "the stream broke".to_owned()),
        }
    }
}

/// What carries streams, on the thread that asks for it.
///
/// # Errors
/// A fatal fault.
pub fn runtime() -> Result<Runtime, Fault> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fault::fatal("network thread", error))
}

/// Connects, logs in and binds the address; then hands the stream to `use_it`, on the thread that carries it.
/// `broken` is told once when the stream breaks later.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn open<F: Future<Output = ()> + Send + 'static>(
    setup: &Setup,
    jid: FullJid,
    broken: impl Fn(Fault) + Send + Sync + 'static,
    use_it: impl FnOnce(StanzaStream, Line) -> F + Send + 'static,
) -> Result<Handle, Fault> {
    let login = Login::new(setup, jid.clone())?;
    let (opened, waiting) = mpsc::channel();
    let what = format!("connect {}", setup.server());
    let lost = Fault::fatal(
        format!("connection to {}", setup.server()),
        "the stream broke",
    );
    let runtime = runtime()?;
    let handle = runtime.handle().clone();
    thread::spawn(move || {
        runtime.block_on(async {
            let failed = opened.clone();
            let refused = move |why: String| drop(failed.send(Err(Fault::fatal(&what, why))));
            let line = Line::new(&login);
            let mut stream = connect(login, line.clone(), refused, move || broken(lost.clone()));
            match bound(&mut stream).await {
                Some(given) if given == jid => {
                    let _ = opened.send(Ok(()));
                    use_it(stream, line).await;
                }
                Some(given) => {
                    let why = format!("the server bound {given}");
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

/// Lets a future of a side finish, on the thread that carries the stream, if that is soon.
pub fn finish(handle: &Handle, close: impl Future<Output = ()> + Send + 'static) {
    let (done, closed) = mpsc::channel();
    handle.spawn(async move {
        close.await;
        let _ = done.send(());
    });
    let _ = closed.recv_timeout(FAREWELL);
}

/// A stream that the library makes, and makes again when it breaks, as long as the option `reconnect_s` allows: then it is `broken`.
fn connect(
    login: Login,
    line: Line,
    refused: impl FnOnce(String) + Send + 'static,
    broken: impl Fn() + Send + Sync + 'static,
) -> StanzaStream {
    let broken = Arc::new(broken);
    let mut first = Some(refused);
    let connect = move |_: Option<String>, slot: oneshot::Sender<Connection>| {
        let (login, refused) = (login.clone(), first.take());
        let (line, broken) = (line.clone(), Arc::clone(&broken));
        tokio::spawn(async move {
            let made = match refused {
                Some(refused) => negotiated(login)
                    .await
                    .map_err(|error| refused(error.to_string())),
                None => line.again(login).await.ok_or_else(|| broken()),
            };
            match made {
                Ok(connection) => drop(slot.send(connection)),
                // The library panics when its request goes unanswered.
                Err(()) => {
                    std::future::pending::<()>().await;
                    drop(slot);
                }
            }
        });
    };
    StanzaStream::new(Box::new(connect), QUEUE)
}

/// How long a stream that broke is tried to be made again.
#[derive(Clone)]
pub struct Line(Arc<Mutex<Reconnect>>);

impl Line {
    fn new(login: &Login) -> Self {
        Self(Arc::new(Mutex::new(login.reconnect.clone())))
    }

    /// Whether a stream can be used again after it broke: a login alone does not make it so.
    pub fn is_back(&self, event: &Event) -> bool {
        let back = matches!(
            event,
            Event::Stream(StreamEvent::Resumed | StreamEvent::Reset { .. })
        );
        if back {
            lock(&self.0).succeeded();
        }
        back
    }

    /// Another connection, if one can be made in time.
    async fn again(&self, login: Login) -> Option<Connection> {
        loop {
            let (wait, limit) = lock(&self.0).next(login.clock.now())?;
            sleep(wait).await;
            if let Ok(Ok(connection)) = timeout(limit, negotiated(login.clone())).await {
                return Some(connection);
            }
        }
    }
}

/// Says that whoever sends to the address shall reach this stream.
pub fn available() -> Box<Stanza> {
    Box::new(Stanza::Presence(Presence::available()))
}

/// The address the server bound, once it has.
async fn bound(stream: &mut StanzaStream) -> Option<Jid> {
    loop {
        if let Event::Stream(StreamEvent::Reset { bound_jid, .. }) = stream.next().await? {
            return Some(bound_jid);
        }
    }
}

async fn negotiated(login: Login) -> Result<Connection, Error> {
    let socket = TcpStream::connect(login.server).await?;
    socket.set_nodelay(true)?;
    match &login.tls {
        None => logged_in(BufStream::new(socket), login).await,
        Some(tls) => {
            let name = login.server.ip().into();
            let encrypted = tls.connect(name, socket).await?;
            logged_in(BufStream::new(encrypted), login).await
        }
    }
}

/// RFC 6120: stream, features, SASL, stream again, features.
async fn logged_in<S: AsyncReadAndWrite + 'static>(
    io: S,
    login: Login,
) -> Result<Connection, Error> {
    let domain = login.jid.domain().as_str().to_owned();
    let header = || StreamHeader {
        to: Some(Cow::Owned(domain.clone())),
        from: None,
        id: None,
    };
    let stream = initiate_stream(io, CLIENT, header(), Timeouts::default()).await?;
    let (features, stream): (StreamFeatures, _) = stream.recv_features().await?;
    let credentials = Credentials::default()
        .with_username(login.jid.node().map_or("", |node| node.as_str()))
        .with_password(login.password.clone())
        .with_channel_binding(ChannelBinding::None);
    let stream = client_login(stream, features.sasl_mechanisms, credentials).await?;
    let stream = stream.send_header(header()).await?;
    let (mut features, stream): (StreamFeatures, _) = stream.recv_features().await?;
    if !login.managed {
        features.stream_management = None;
    } else if features.stream_management.is_none() {
        let why = "the server offers no stream management (XEP-0198)";
        return Err(std::io::Error::other(why).into());
    }
    Ok(Connection {
        stream: stream.box_stream(),
        features,
        identity: login.jid.into(),
    })
}
