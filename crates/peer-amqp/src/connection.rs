//! An AMQP connection with one channel that reconnects, and the thread that polls it.

use std::fmt::Display;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use futures_util::StreamExt;
use lapin::protocol::AMQPErrorKind;
use lapin::tcp::OwnedTLSConfig;
use lapin::uri::{AMQPAuthority, AMQPQueryString, AMQPScheme, AMQPUri, AMQPUserInfo};
use lapin::{Channel, Connection, ConnectionProperties, Error, ErrorKind, Event};
use tokio::runtime::{Builder, Handle};
use tokio::time::{sleep, timeout};
use wirelab_peer::{Fault, Reconnect, Setup};

/// How long connection.close may take.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// A connection and its one channel.
pub struct Link {
    pub connection: Connection,
    pub channel: Channel,
}

impl Link {
    /// Connects, opens a channel, and prepares it with `then`.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause.
    async fn open<F, T>(setup: &Setup, then: impl FnOnce(Channel) -> F) -> Result<(Self, T), Fault>
    where
        F: Future<Output = Result<T, Fault>>,
    {
        let (uri, tls) = (uri(setup)?, tls(setup)?);
        let failed = |error: Error| refused(format!("connect {}", setup.server()), &error);
        let properties = ConnectionProperties::default()
            .with_connection_name(setup.client.clone().into())
            .configure_backoff(|backoff| backoff.with_max_times(0));
        let runtime = lapin::runtime::default_runtime().map_err(failed)?;
        let connection = Connection::connect_uri_with_config(uri, properties, tls, runtime)
            .await
            .map_err(failed)?;
        let channel = connection.create_channel().await.map_err(failed)?;
        let more = then(channel.clone()).await?;
        let link = Self {
            connection,
            channel,
        };
        Ok((link, more))
    }

    /// Reconnects after a connection broke with this fault, within the limit of the option
    /// `reconnect_s`.
    ///
    /// # Errors
    /// The fault, if the limit is exceeded.
    pub async fn again<F, T>(
        setup: &Setup,
        reconnect: &mut Reconnect,
        why: Fault,
        then: impl Fn(Channel) -> F,
    ) -> Result<(Self, T), Fault>
    where
        F: Future<Output = Result<T, Fault>>,
    {
        while let Some((wait, limit)) = reconnect.next(setup.clock.now()) {
            sleep(wait).await;
            if let Ok(Ok(made)) = timeout(limit, Self::open(setup, &then)).await {
                reconnect.succeeded();
                return Ok(made);
            }
        }
        Err(why)
    }

    /// Waits until the connection ends. Returns the reason.
    pub fn ended(&self) -> impl Future<Output = String> + Send + 'static {
        let mut events = self.connection.events_listener();
        async move {
            while let Some(event) = events.next().await {
                if let Event::Error(error) = event {
                    return why(&error);
                }
            }
            "the library gave no reason".into()
        }
    }
}

/// The connection. The library's own thread does the I/O; the runtime's thread polls its futures.
pub struct Amqp {
    /// The current connection; `None` while it is broken.
    pub link: Arc<Mutex<Option<Link>>>,
    pub runtime: Handle,
}

impl Amqp {
    /// Connects, opens a channel, and prepares it with `then`, within the connect timeout.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause.
    pub fn open<F, T>(
        setup: &Setup,
        then: impl FnOnce(Channel) -> F + Send + 'static,
    ) -> Result<(Self, T), Fault>
    where
        F: Future<Output = Result<T, Fault>> + Send + 'static,
        T: Send + 'static,
    {
        let (opened, waiting) = mpsc::channel();
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Fault::fatal("network thread", error))?;
        let handle = runtime.handle().clone();
        let own = setup.clone();
        thread::spawn(move || {
            runtime.block_on(async {
                // After a timeout the receiver is gone; the peer is exiting.
                let _ = opened.send(Link::open(&own, then).await);
                std::future::pending::<()>().await;
            });
        });
        let (link, more) = waiting
            .recv_timeout(setup.connect_timeout)
            .map_err(|_| setup.timed_out("connect"))??;
        let amqp = Self {
            link: Arc::new(Mutex::new(Some(link))),
            runtime: handle,
        };
        Ok((amqp, more))
    }

    /// Closes the connection.
    pub fn close(self) {
        let Some(link) = lock(&self.link).take() else {
            return;
        };
        let (done, closed) = mpsc::channel();
        self.runtime.spawn(async move {
            let _ = link.connection.close(200, "done".into()).await;
            let _ = done.send(());
        });
        let _ = closed.recv_timeout(CLOSE_TIMEOUT);
    }
}

/// Locks a mutex, also after a panic: a panic ends the peer.
pub fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

fn uri(setup: &Setup) -> Result<AMQPUri, Fault> {
    let server = setup.server();
    let text = |name: &str| setup.options.text(name).to_owned();
    let schemes = [("tcp", AMQPScheme::AMQP), ("tls", AMQPScheme::AMQPS)];
    Ok(AMQPUri {
        scheme: setup.options.one_of("transport", schemes)?,
        authority: AMQPAuthority {
            userinfo: AMQPUserInfo {
                username: text("user"),
                password: text("password"),
            },
            host: server.ip().to_string(),
            port: server.port(),
        },
        vhost: text("vhost"),
        query: AMQPQueryString {
            heartbeat: Some(setup.options.parse("heartbeat_s")?),
            ..AMQPQueryString::default()
        },
    })
}

fn tls(setup: &Setup) -> Result<OwnedTLSConfig, Fault> {
    let authority = setup.options.text("authority");
    let cert_chain = match authority {
        "" => None,
        path => Some(std::fs::read_to_string(path).map_err(|error| Fault::fatal(path, error))?),
    };
    Ok(OwnedTLSConfig {
        identity: None,
        cert_chain,
    })
}

/// The cause, without the names of the library's layers.
pub fn why(error: &Error) -> String {
    match error.kind() {
        ErrorKind::IOError(error) => error.to_string(),
        ErrorKind::ProtocolError(error) => format!("server error: {}", error.get_message()),
        _ => error.to_string(),
    }
}

/// Whether the server refused only this operation and keeps the connection open (AMQP 0-9-1, 1.2: a
/// channel exception).
pub fn is_refusal(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::ProtocolError(error) => matches!(error.kind(), AMQPErrorKind::Soft(_)),
        _ => false,
    }
}

/// A fatal fault of a step while connecting.
pub fn refused(what: impl Display, error: &Error) -> Fault {
    Fault::fatal(what, why(error))
}
