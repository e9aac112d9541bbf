//! Connections of peers and relays that use tokio.

use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::ClientConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_rustls::{TlsAcceptor, TlsConnector};
use wirelab_peer::server::refuse;
use wirelab_peer::{Fault, Setup, Subscriber};

use crate::dial::io_fault;
use crate::listen_args::{ListenArgs, TlsConfig};

/// A bidirectional byte stream.
pub trait AsyncDuplex: AsyncRead + AsyncWrite + Debug + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Debug + Send + Unpin> AsyncDuplex for T {}

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

/// A subscriber that receives on its own thread and runtime.
pub struct AsyncReceiveThread {
    leave: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl AsyncReceiveThread {
    /// Runs `receive` on a new thread. It must return once its argument completes: `close` waits
    /// for it.
    pub fn start<F: Future<Output = ()>>(
        runtime: Runtime,
        receive: impl FnOnce(oneshot::Receiver<()>) -> F + Send + 'static,
    ) -> Box<dyn Subscriber> {
        let (leave, left) = oneshot::channel();
        let thread = thread::spawn(move || runtime.block_on(receive(left)));
        Box::new(Self { leave, thread })
    }
}

impl Subscriber for AsyncReceiveThread {
    fn close(self: Box<Self>) {
        // The thread has already ended if the connection broke.
        let _ = self.leave.send(());
        let _ = self.thread.join();
    }
}

impl ListenArgs {
    /// A single-threaded runtime with a TCP listener, and the address it listens on.
    ///
    /// # Errors
    /// The exit code if the address cannot be bound. The message has been printed.
    pub fn bind_async(&self) -> Result<(Runtime, TcpListener, SocketAddr), ExitCode> {
        let runtime = runtime().map_err(|fault| refuse(&fault.what, &fault.why))?;
        let listener = runtime
            .block_on(TcpListener::bind(self.listen))
            .map_err(|error| self.bind_error(&error))?;
        let listen = listener.local_addr().unwrap_or(self.listen);
        Ok((runtime, listener, listen))
    }
}

/// Runs `work`, the steps up to a usable connection, within the connect timeout.
///
/// # Errors
/// The fault of `work`, or that of a timeout.
pub async fn in_time<T>(
    setup: &Setup,
    work: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    timeout(setup.connect_timeout, work)
        .await
        .unwrap_or_else(|_| Err(setup.timed_out("connect")))
}

/// Connects to the server, with TLS if `tls` is given.
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

/// Accepts clients forever, with TLS if `tls` is given. Each client is served in its own task.
pub async fn accept_all_async<F>(
    listener: TcpListener,
    tls: Option<TlsConfig>,
    serve: impl Fn(Box<dyn AsyncDuplex>) -> F + Clone + Send + 'static,
) where
    F: Future<Output = ()> + Send,
{
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                eprintln!("accept: {error}");
                // Most likely out of file descriptors: retrying at once would spin.
                sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let (tls, serve) = (tls.clone(), serve.clone());
        tokio::spawn(async move {
            match accepted(stream, tls).await {
                Ok(client) => serve(client).await,
                Err(error) => eprintln!("client: {error}"),
            }
        });
    }
}

async fn accepted(stream: TcpStream, tls: Option<TlsConfig>) -> io::Result<Box<dyn AsyncDuplex>> {
    stream.set_nodelay(true)?;
    match tls {
        None => Ok(Box::new(stream)),
        Some(config) => Ok(Box::new(TlsAcceptor::from(config).accept(stream).await?)),
    }
}
