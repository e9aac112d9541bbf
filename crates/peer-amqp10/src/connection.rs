//! One connection with one session, and the address that publisher and subscriber share.

use std::fmt::Write;
use std::thread;
use std::time::Duration;

use fe2o3_amqp::connection::ConnectionHandle;
use fe2o3_amqp::sasl_profile::SaslProfile;
use fe2o3_amqp::session::SessionHandle;
use fe2o3_amqp::types::definitions::SenderSettleMode;
use fe2o3_amqp::types::messaging::TerminusDurability;
use fe2o3_amqp::{Connection, Session};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use wirelab_peer::{Fault, Reconnect, Setup};
use wirelab_transport::{causes, dial_async, tls};

use crate::describe::SETTLED;

/// How long closing the connection may take.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// A connection and its session; dropping it ends both.
pub struct Opened {
    pub connection: ConnectionHandle<()>,
    pub session: SessionHandle<()>,
}

/// Connects, logs in and begins a session.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub async fn open(setup: &Setup) -> Result<Opened, Fault> {
    let what = format!("connect {}", setup.server());
    let host = setup.server().ip().to_string();
    let stream = dial_async(setup, tls::client_config_if_enabled(setup, &[])?).await?;
    let text = |name: &str| setup.options.text(name).to_owned();
    let mut connection = Connection::builder()
        .container_id(setup.client.as_str())
        .hostname(host.as_str())
        // The stream is already encrypted if TLS is used.
        .scheme("amqp")
        .sasl_profile(SaslProfile::Plain {
            username: text("user"),
            password: text("password"),
        })
        .open_with_stream(stream)
        .await
        .map_err(|error| Fault::fatal(&what, causes(&error)))?;
    let session = Session::begin(&mut connection)
        .await
        .map_err(|error| Fault::fatal(&what, causes(&error)))?;
    Ok(Opened {
        connection,
        session,
    })
}

/// Settlement mode: by the sender on sending, or by the receiver.
pub fn settle_mode(setup: &Setup) -> SenderSettleMode {
    match setup.qos == SETTLED {
        true => SenderSettleMode::Settled,
        false => SenderSettleMode::Unsettled,
    }
}

/// Durability requested of the queue. With durable messages the queue must outlive the server: a
/// queue that RabbitMQ creates from an address alone ends with the server, and so do its messages,
/// even durable ones.
///
/// # Errors
/// A fatal fault that names the option.
pub fn durability(setup: &Setup) -> Result<TerminusDurability, Fault> {
    Ok(match setup.options.parse("durable")? {
        true => TerminusDurability::Configuration,
        false => TerminusDurability::None,
    })
}

/// The option `address` for this topic. Bytes of the topic other than letters, digits, `-`, `_` and
/// `.` become %XX, because brokers split addresses at `/`.
pub fn address(setup: &Setup) -> String {
    let mut escaped = String::new();
    for byte in setup.topic.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                escaped.push(char::from(byte));
            }
            _ => drop(write!(escaped, "%{byte:02X}")),
        }
    }
    setup.options.text("address").replace("{topic}", &escaped)
}

/// The role's handlers for reconnections. All of them run on one thread.
pub trait Side: Send + 'static {
    /// The connection broke; reconnection follows.
    async fn suspended(&mut self);
    /// Resumes on a new connection.
    ///
    /// # Errors
    /// Why resuming failed.
    async fn resumed(&mut self, opened: &mut Opened) -> Result<(), Fault>;
    /// The connection broke, and reconnection failed.
    fn broken(&mut self, fault: Fault);
}

/// Runs the runtime on its own thread and reconnects when the connection ends. The returned handle
/// closes the connection.
///
/// # Errors
/// A fatal fault that names the option `reconnect_s`.
pub fn keep(
    setup: &Setup,
    runtime: Runtime,
    mut opened: Opened,
    mut side: impl Side,
) -> Result<CloseHandle, Fault> {
    let setup = setup.clone();
    let mut reconnect = Reconnect::read(&setup.options)?;
    let (leave, mut left) = oneshot::channel::<()>();
    let (done, closed) = oneshot::channel::<()>();
    thread::spawn(move || {
        runtime.block_on(async move {
            loop {
                let ended = tokio::select! {
                    ended = opened.connection.on_close() => ended,
                    _ = &mut left => {
                        let _ = timeout(CLOSE_TIMEOUT, opened.connection.close()).await;
                        break;
                    }
                };
                let why = match ended {
                    Err(error) => causes(&error),
                    Ok(()) => "the server closed the connection".into(),
                };
                let made = tokio::select! {
                    made = again(&setup, &mut reconnect, &mut side) => made,
                    _ = &mut left => break,
                };
                match made {
                    Some(made) => opened = made,
                    None => {
                        let what = format!("connection to {}", setup.server());
                        side.broken(Fault::fatal(what, why));
                        break;
                    }
                }
            }
            let _ = done.send(());
            std::future::pending::<()>().await;
        });
    });
    Ok(CloseHandle { leave, closed })
}

/// A new connection on which the side has resumed, within the time limit.
async fn again(setup: &Setup, reconnect: &mut Reconnect, side: &mut impl Side) -> Option<Opened> {
    if reconnect.is_enabled() {
        side.suspended().await;
    }
    while let Some((wait, limit)) = reconnect.next(setup.clock.now()) {
        sleep(wait).await;
        let made = timeout(limit, async {
            let mut opened = open(setup).await?;
            side.resumed(&mut opened).await.map(|()| opened)
        });
        if let Ok(Ok(opened)) = made.await {
            reconnect.succeeded();
            return Some(opened);
        }
    }
    None
}

/// Closes the connection and waits for it.
pub struct CloseHandle {
    leave: oneshot::Sender<()>,
    closed: oneshot::Receiver<()>,
}

impl CloseHandle {
    /// Closes the connection.
    pub fn close(self) {
        // The thread has already ended if the connection broke.
        let _ = self.leave.send(());
        let _ = self.closed.blocking_recv();
    }
}
