//! One AMQP connection with one channel, and the thread that polls what belongs to it.

use std::fmt::Display;
use std::future::Future;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use futures_util::StreamExt;
use lapin::tcp::OwnedTLSConfig;
use lapin::uri::{AMQPAuthority, AMQPQueryString, AMQPScheme, AMQPUri, AMQPUserInfo};
use lapin::{Channel, Connection, ConnectionProperties, Error, ErrorKind, Event};
use tokio::runtime::{Builder, Handle};
use wirelab_peer::{Fault, Setup};

/// How long a connection.close may take.
const FAREWELL: Duration = Duration::from_millis(500);

/// A connection in use. The library's own thread carries its packets; the runtime's thread polls its futures.
pub struct Amqp {
    pub connection: Connection,
    pub channel: Channel,
    pub runtime: Handle,
}

impl Amqp {
    /// Connects, opens a channel, and makes it usable by `then`, all within the time the setup gives.
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
        let what = format!("connect {}", setup.server());
        let (uri, tls) = (uri(setup)?, tls(setup)?);
        let properties = ConnectionProperties::default()
            .with_connection_name(setup.client.clone().into())
            .configure_backoff(|backoff| backoff.with_max_times(0));
        let (opened, waiting) = mpsc::channel();
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Fault::fatal("network thread", error))?;
        let handle = runtime.handle().clone();
        thread::spawn(move || {
            runtime.block_on(async {
                let result = async {
                    let failed = |error: Error| refused(&what, &error);
                    let runtime = lapin::runtime::default_runtime().map_err(failed)?;
                    let connection =
                        Connection::connect_uri_with_config(uri, properties, tls, runtime)
                            .await
                            .map_err(failed)?;
                    let channel = connection.create_channel().await.map_err(failed)?;
                    let more = then(channel.clone()).await?;
                    Ok((connection, channel, more))
                };
                // Nobody waits any more after a time-out; the peer is ending then.
                let _ = opened.send(result.await);
                std::future::pending::<()>().await;
            });
        });
        let (connection, channel, more) = waiting
            .recv_timeout(setup.connect_timeout)
            .map_err(|_| setup.timed_out("connect"))??;
        let amqp = Self {
            connection,
            channel,
            runtime: handle,
        };
        Ok((amqp, more))
    }

    /// Tells `broken` once when the connection ends by itself.
    pub fn watch(&self, setup: &Setup, broken: impl FnOnce(Fault) + Send + 'static) {
        let what = format!("connection to {}", setup.server());
        let mut events = self.connection.events_listener();
        self.runtime.spawn(async move {
            while let Some(event) = events.next().await {
                if let Event::Error(error) = event {
                    return broken(Fault::fatal(what, why(&error)));
                }
            }
        });
    }

    /// Says goodbye to the server.
    pub fn close(self) {
        let (done, closed) = mpsc::channel();
        let connection = self.connection;
        self.runtime.spawn(async move {
            let _ = connection.close(200, "done".into()).await;
            let _ = done.send(());
        });
        let _ = closed.recv_timeout(FAREWELL);
    }
}

fn uri(setup: &Setup) -> Result<AMQPUri, Fault> {
    let server = setup.server();
    let text = |name: &str| setup.options.text(name).to_owned();
    Ok(AMQPUri {
        scheme: match setup.options.text("transport") {
            "tcp" => AMQPScheme::AMQP,
            "tls" => AMQPScheme::AMQPS,
            other => {
                return Err(Fault::fatal(
                    "option transport",
                    format!("{other:?} is neither tcp nor tls"),
                ));
            }
        },
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

/// The cause, without the library's own names of its layers.
pub fn why(error: &Error) -> String {
    match error.kind() {
        ErrorKind::IOError(error) => error.to_string(),
        ErrorKind::ProtocolError(error) => format!("the server said: {}", error.get_message()),
        _ => error.to_string(),
    }
}

/// A fatal fault of a step on the way to a usable connection.
pub fn refused(what: impl Display, error: &Error) -> Fault {
    Fault::fatal(what, why(error))
}
