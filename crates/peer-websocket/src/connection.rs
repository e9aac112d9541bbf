//! One WebSocket to the relay, after the handshake.

use std::net::TcpStream;

use tungstenite::client::client_with_config;
use tungstenite::handshake::HandshakeError;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, Message, WebSocket};
use wirelab_peer::{Fault, Setup};
use wirelab_transport::{Dialled, Duplex, MAX_MESSAGE, dial, io_fault, tls};

/// The relay's answer to a client.
const WELCOME: &str = "ok";

/// A WebSocket, and the socket below it.
pub struct Opened {
    pub web: WebSocket<Box<dyn Duplex>>,
    pub socket: TcpStream,
}

/// Connects, requests the resource of the role (`publish` or `subscribe`) and waits for the relay's
/// answer.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn open(setup: &Setup, side: &str) -> Result<Opened, Fault> {
    let server = setup.server();
    let what = format!("connect {server}");
    let failed = |error: Error| match error {
        Error::Io(error) => io_fault(setup, &error),
        error => Fault::fatal(&what, error),
    };
    let tls = tls::client_config_if_enabled(setup, &[b"http/1.1"])?;
    let scheme = if tls.is_some() { "wss" } else { "ws" };
    let Dialled { stream, socket } = dial(setup, tls)?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    let resource = format!("{scheme}://{server}/{side}/{}", setup.topic);
    let (mut web, _) =
        client_with_config(resource, stream, Some(config)).map_err(|error| match error {
            HandshakeError::Interrupted(_) => setup.timed_out("connect"),
            HandshakeError::Failure(error) => failed(error),
        })?;
    match web.read().map_err(failed)? {
        Message::Text(text) if text.as_str() == WELCOME => {}
        _ => return Err(Fault::fatal(&what, "the server is not the relay")),
    }
    socket
        .set_read_timeout(None)
        .map_err(|error| io_fault(setup, &error))?;
    Ok(Opened { web, socket })
}
