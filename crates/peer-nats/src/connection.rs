//! One connection, and the runtime that serves it.

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

/// Messages that may wait for the subscribing thread. The library's own limit, 65,536, would drop the rest of a flood.
const WAITING: usize = 1 << 24;

/// What is to be known of a connection that the library makes again by itself.
pub struct ConnectionMonitor {
    limit: Duration,
    what: String,
    /// How often it broke.
    breaks: AtomicU64,
    /// How often it had broken when it was made last.
    mended: watch::Sender<u64>,
    /// Hears what cannot be mended.
    lost: Box<dyn Fn(Fault) + Send + Sync>,
    /// Hears that it is back.
    back: Box<dyn Fn() + Send + Sync>,
}

impl ConnectionMonitor {
    /// A monitor to the trial's server, which is given up after the time that the option `reconnect_s` allows.
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

    /// How often the connection has broken.
    pub fn breaks(&self) -> u64 {
        self.breaks.load(Ordering::Acquire)
    }

    /// Waits until a connection is made after one that broke later than `breaks` times.
    pub async fn renewed_after(&self, breaks: u64) {
        // The sender is our own: it does not close.
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
        // `in_time` limits it, and says so in our words.
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
            "{} B, and the server takes at most {largest} B",
            setup.largest
        );
        return Err(Fault::fatal("largest message", why));
    }
    Ok(client)
}

/// Waits until the server has done all that was asked before: it answers a request that nobody serves in its turn.
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

/// The system's own words where it refused, which the library hides behind its own.
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
