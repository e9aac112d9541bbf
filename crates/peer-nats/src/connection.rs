//! One connection.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_nats::client::RequestErrorKind;
use async_nats::{Client, ConnectOptions, Event};
use tokio::sync::watch;
use tokio::time::timeout;
use wirelab_peer::{Fault, Reconnect, Setup};

/// Capacity of a subscription's queue. The library's default of 65,536 would drop the rest of a
/// flood.
const WAITING: usize = 1 << 24;

/// Monitors a connection that the library re-establishes by itself.
pub struct ConnectionMonitor {
    limit: Duration,
    what: String,
    /// Number of times the connection broke.
    breaks: AtomicU64,
    /// Value of `breaks` when the connection was last established.
    mended: watch::Sender<u64>,
    /// Called with a permanent fault.
    lost: Box<dyn Fn(Fault) + Send + Sync>,
    /// Called after each reconnection.
    back: Box<dyn Fn() + Send + Sync>,
}

impl ConnectionMonitor {
    /// A monitor that gives up after the time limit of the option `reconnect_s`.
    ///
    /// # Errors
    /// A fatal fault that names the option.
    pub fn new(
        setup: &Setup,
        lost: impl Fn(Fault) + Send + Sync + 'static,
        back: impl Fn() + Send + Sync + 'static,
    ) -> Result<Arc<Self>, Fault> {
        Ok(Arc::new(Self {
            limit: Reconnect::read(&setup.options)?.limit(),
            what: format!("connection to {}", setup.server()),
            breaks: AtomicU64::new(0),
            mended: watch::Sender::new(0),
            lost: Box::new(lost),
            back: Box::new(back),
        }))
    }

    /// Number of times the connection has broken.
    pub fn breaks(&self) -> u64 {
        self.breaks.load(Ordering::Acquire)
    }

    /// Waits for a connection that was established after more than `breaks` breaks.
    pub async fn renewed_after(&self, breaks: u64) {
        // `self` owns the sender, so it does not close.
        let _ = self
            .mended
            .subscribe()
            .wait_for(|mended| *mended > breaks)
            .await;
    }

    fn hear(self: &Arc<Self>, event: Event) {
        match event {
            Event::Disconnected => {
                let breaks = self.breaks.fetch_add(1, Ordering::AcqRel) + 1;
                let monitor = Arc::clone(self);
                tokio::spawn(async move {
                    if timeout(monitor.limit, monitor.renewed_after(breaks - 1))
                        .await
                        .is_err()
                    {
                        (monitor.lost)(Fault::fatal(&monitor.what, "the connection broke"));
                    }
                });
            }
            Event::Connected => {
                let breaks = self.breaks();
                if self.mended.send_replace(breaks) < breaks {
                    (self.back)();
                }
            }
            Event::ServerError(error) => (self.lost)(Fault::fatal(&self.what, error)),
            other => eprintln!("{other}"),
        }
    }
}

/// Connects.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub async fn connect(setup: &Setup, monitor: Arc<ConnectionMonitor>) -> Result<Client, Fault> {
    let server = setup.server();
    let options = ConnectOptions::new()
        .name(&setup.client)
        // `in_time` applies the time limit.
        .connection_timeout(setup.connect_timeout * 2)
        .subscription_capacity(WAITING)
        .event_callback(move |event| {
            monitor.hear(event);
            async {}
        });
    let options = if setup
        .options
        .one_of("transport", [("tcp", false), ("tls", true)])?
    {
        options
            .add_root_certificates(setup.options.text("authority").into())
            .require_tls(true)
    } else {
        options
    };
    let what = format!("connect {server}");
    let client = options
        .connect(format!("nats://{server}"))
        .await
        .map_err(|error| refused(&what, &error))?;
    let largest = client.server_info().max_payload;
    if setup.largest > largest {
        let why = format!(
            "{} B exceeds the server's limit of {largest} B",
            setup.largest
        );
        return Err(Fault::fatal("largest message", why));
    }
    Ok(client)
}

/// Waits until the server has processed all earlier requests: it answers in order a request for
/// which there is no responder.
///
/// # Errors
/// A fatal fault that names the server.
pub async fn round_trip(setup: &Setup, client: &Client) -> Result<(), Fault> {
    match client.request("wirelab.nobody", "".into()).await {
        Err(error) if error.kind() != RequestErrorKind::NoResponders => {
            Err(fault(setup, "subscribe", error))
        }
        _ => Ok(()),
    }
}

/// A fatal fault that names the server.
pub fn fault(setup: &Setup, what: &str, why: impl fmt::Display) -> Fault {
    Fault::fatal(format!("{what} at {}", setup.server()), why)
}

/// The system's error, if there is one, which the library hides.
fn refused(what: &str, error: &async_nats::ConnectError) -> Fault {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            return Fault::fatal(what, io);
        }
        source = inner.source();
    }
    Fault::fatal(what, error)
}
