//! Blocking connections, with or without TLS.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection, StreamOwned};
use wirelab_peer::{Fault, Setup};

/// A bidirectional byte stream.
pub trait Duplex: Read + Write + Send {}
impl<T: Read + Write + Send> Duplex for T {}

/// A connection: the byte stream, and the socket below it.
pub struct Dialled {
    /// Plain or encrypted byte stream.
    pub stream: Box<dyn Duplex>,
    /// The socket, to watch for a disconnect, to limit reads and to close the connection.
    pub socket: TcpStream,
}

/// Connects to the server, with TLS if `tls` is given. Reads time out at the connect timeout until
/// the caller changes the timeout of the socket.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn dial(setup: &Setup, tls: Option<ClientConfig>) -> Result<Dialled, Fault> {
    let server = setup.server();
    let fault = |error: io::Error| io_fault(setup, &error);
    let deadline = Instant::now() + setup.connect_timeout;
    let mut stream = TcpStream::connect_timeout(&server, setup.connect_timeout).map_err(fault)?;
    stream.set_nodelay(true).map_err(fault)?;
    let left = deadline.saturating_duration_since(Instant::now());
    stream
        .set_read_timeout(Some(left.max(Duration::from_millis(1))))
        .map_err(fault)?;
    let socket = stream.try_clone().map_err(fault)?;
    let Some(config) = tls else {
        return Ok(Dialled {
            stream: Box::new(stream),
            socket,
        });
    };
    let mut connection = ClientConnection::new(Arc::new(config), server.ip().into())
        .map_err(|error| Fault::fatal(format!("connect {server}"), error))?;
    while connection.is_handshaking() {
        connection.complete_io(&mut stream).map_err(fault)?;
    }
    Ok(Dialled {
        stream: Box::new(StreamOwned::new(connection, stream)),
        socket,
    })
}

/// Sets up an accepted connection, with TLS if `tls` is given.
///
/// # Errors
/// Those of the socket.
pub fn accept(stream: TcpStream, tls: Option<Arc<ServerConfig>>) -> io::Result<Dialled> {
    stream.set_nodelay(true)?;
    let socket = stream.try_clone()?;
    let stream: Box<dyn Duplex> = match tls {
        None => Box::new(stream),
        Some(config) => {
            let connection = ServerConnection::new(config).map_err(io::Error::other)?;
            Box::new(StreamOwned::new(connection, stream))
        }
    };
    Ok(Dialled { stream, socket })
}

/// The fault for an error while connecting.
pub fn io_fault(setup: &Setup, error: &io::Error) -> Fault {
    let what = format!("connect {}", setup.server());
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => setup.timed_out("connect"),
        ErrorKind::UnexpectedEof => {
            Fault::fatal(what, "the server closed the connection before it answered")
        }
        _ => Fault::fatal(what, error),
    }
}

/// An error with its chain of causes, which libraries often leave out of their messages.
pub fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let _ = write!(text, ": {inner}");
        source = inner.source();
    }
    text
}
