//! Connections for peers and relays on tokio.

use std::io;
use std::sync::Arc;

use rustls::{ClientConfig, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_rustls::{TlsAcceptor, TlsConnector};
use wirelab_peer::{Fault, Setup};

use crate::dial::io_fault;

/// Bytes both ways.
pub trait AsyncDuplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> AsyncDuplex for T {}

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

/// Connects to the trial's server, encrypted where `tls` is given.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub async fn dial_async(
    setup: &Setup,
    tls: Option<ClientConfig>,
) -> Result<Box<dyn AsyncDuplex>, Fault> {
    let fault = |error: io::Error| io_fault(setup, &error);
    let server = setup.server();
    let stream = TcpStream::connect(server).await.map_err(fault)?;
    stream.set_nodelay(true).map_err(fault)?;
    let Some(config) = tls else {
        return Ok(Box::new(stream));
    };
    let connector = TlsConnector::from(Arc::new(config));
    let encrypted = connector.connect(server.ip().into(), stream).await;
    Ok(Box::new(encrypted.map_err(fault)?))
}

/// A client that a server has just accepted, encrypted where `tls` is given.
///
/// # Errors
/// Those of the socket and of the handshake.
pub async fn accept_async(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
) -> io::Result<Box<dyn AsyncDuplex>> {
    stream.set_nodelay(true)?;
    match tls {
        None => Ok(Box::new(stream)),
        Some(config) => Ok(Box::new(TlsAcceptor::from(config).accept(stream).await?)),
    }
}
