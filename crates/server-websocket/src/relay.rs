//! The publisher's thread writes each message to every subscriber of its topic. There is no queue:
//! a subscriber that does not read blocks its publishers, and nothing is dropped.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tungstenite::handshake::server::{Request, Response};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, Message, WebSocket, accept_hdr_with_config};
use wirelab_transport::listen_args::TlsConfig;
use wirelab_transport::relay::{Topics, accept_all, lock};
use wirelab_transport::{Dialled, Duplex, MAX_MESSAGE, accept};

/// The relay's answer to a client.
const WELCOME: &str = "ok";
/// Time limit for a client's handshake: the longest connect timeout, so that no slow link exceeds
/// it.
const HANDSHAKE_WITHIN: Duration = Duration::from_hours(1);

type Web = WebSocket<Box<dyn Duplex>>;
type Subscribers = Topics<Mutex<Web>>;

/// Accepts clients forever, with TLS if `tls` is given.
pub fn serve(listener: &TcpListener, tls: Option<TlsConfig>) {
    let topics = Subscribers::default();
    accept_all(listener, move |stream| client(stream, tls.clone(), &topics));
}

#[expect(
    clippy::result_large_err,
    reason = "the library's own type of a refusal"
)]
fn client(stream: TcpStream, tls: Option<TlsConfig>, topics: &Subscribers) -> io::Result<()> {
    stream.set_read_timeout(Some(HANDSHAKE_WITHIN))?;
    let Dialled { stream, socket } = accept(stream, tls)?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    let mut resource = String::new();
    let noted = |request: &Request, response: Response| {
        request.uri().path().clone_into(&mut resource);
        Ok(response)
    };
    let mut web = accept_hdr_with_config(stream, noted, Some(config))
        .map_err(|error| io::Error::other(error.to_string()))?;
    socket.set_read_timeout(None)?;
    if let Some(topic) = resource.strip_prefix("/publish/") {
        web.send(WELCOME.into()).map_err(io::Error::other)?;
        return relay(&mut web, topics, topic).map_err(io::Error::other);
    }
    match resource.strip_prefix("/subscribe/") {
        Some(topic) => subscribe(web, socket, topics, topic),
        None => Err(io::Error::other(format!("unknown resource {resource}"))),
    }
}

/// The subscriber is registered before it receives the welcome.
fn subscribe(web: Web, mut socket: TcpStream, topics: &Subscribers, topic: &str) -> io::Result<()> {
    let web = Arc::new(Mutex::new(web));
    let mut guard = lock(&web);
    topics.join(topic, Arc::clone(&web));
    guard.send(WELCOME.into()).map_err(io::Error::other)?;
    drop(guard);
    // Subscribers send nothing but a close frame: this returns when they disconnect.
    let left = io::copy(&mut socket, &mut io::sink());
    topics.leave(topic, &web);
    left.map(drop)
}

fn relay(web: &mut Web, topics: &Subscribers, topic: &str) -> Result<(), Error> {
    loop {
        let message = match web.read() {
            Ok(message @ Message::Binary(_)) => message,
            Ok(_) => continue,
            Err(Error::ConnectionClosed) => return Ok(()),
            Err(error) => return Err(error),
        };
        for subscriber in topics.subscribers(topic) {
            if let Err(error) = lock(&subscriber).send(message.clone()) {
                eprintln!("subscriber of {topic}: {error}");
            }
        }
    }
}
