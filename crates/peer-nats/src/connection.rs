//! One connection, and the runtime that serves it.

use std::fmt;
use std::future::Future;
use std::io;

use async_nats::client::RequestErrorKind;
use async_nats::{Client, ConnectOptions, Event};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use wirelab_peer::{Fault, Setup};

/// Messages that may wait for the subscribing thread. The library's own limit, 65,536, would drop the rest of a flood.
const WAITING: usize = 1 << 24;

/// A runtime on the thread that calls it.
///
/// # Errors
/// A fatal fault.
pub fn runtime() -> Result<Runtime, Fault> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fault::fatal("network thread", error))
}

/// Connects; `lost` hears of it once the connection breaks.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub async fn connect(
    setup: &Setup,
    lost: impl Fn(Fault) + Send + Sync + 'static,
) -> Result<Client, Fault> {
    let server = setup.server();
    let broken = format!("connection to {server}");
    let options = ConnectOptions::new()
        .name(&setup.client)
        // `in_time` limits it, and says so in our words.
        .connection_timeout(setup.connect_timeout * 2)
        .subscription_capacity(WAITING)
        .event_callback(move |event| {
            match event {
                Event::Disconnected => lost(Fault::fatal(&broken, "the connection broke")),
                Event::ServerError(error) => lost(Fault::fatal(&broken, error)),
                other => eprintln!("{other}"),
            }
            async {}
        });
    let options = match setup.options.text("transport") {
        "tcp" => options,
        "tls" => options
            .add_root_certificates(setup.options.text("authority").into())
            .require_tls(true),
        other => {
            let why = format!("{other:?} is neither tcp nor tls");
            return Err(Fault::fatal("option transport", why));
        }
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

/// Runs what makes a connection usable, within the time for connecting.
///
/// # Errors
/// Its own fault, or that of a server that takes too long.
pub async fn in_time<T>(
    setup: &Setup,
    work: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    timeout(setup.connect_timeout, work)
        .await
        .unwrap_or_else(|_| Err(setup.timed_out("connect")))
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
