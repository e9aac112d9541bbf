//! Connections for peers and relays on tokio.

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

/// Bytes both ways.
pub trait AsyncDuplex: AsyncRead + AsyncWrite + Debug + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Debug + Send + Unpin> AsyncDuplex for T {}

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

/// A thread that receives on a runtime until the subscriber is closed.
pub struct AsyncReceiveThread {
    leave: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl AsyncReceiveThread {
    /// Runs `receive` on a new thread. It must return once its argument is ready; closing waits for that.
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
    /// A runtime on one thread, with TCP that listens, and where.
    ///
    /// # Errors
    /// The exit code of an address that cannot be listened on, which has been told.
    pub fn bind_async(&self) -> Result<(Runtime, TcpListener, SocketAddr), ExitCode> {
        let runtime = runtime().map_err(|fault| refuse(&fault.what, &fault.why))?;
        let listener = runtime
            .block_on(TcpListener::bind(self.listen))
            .map_err(|error| self.bind_error(&error))?;
        let listen = listener.local_addr().unwrap_or(self.listen);
        Ok((runtime, listener, listen))
    }
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

/// Accepts clients for ever, encrypted where `tls` is given, and serves each in a task of its own.
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
                // Out of file descriptors, most likely: accepting again at once would only spin.
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
