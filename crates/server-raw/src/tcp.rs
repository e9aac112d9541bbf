//! The publisher's thread writes each frame to every subscriber of its topic. There is no queue: a
//! subscriber that does not read blocks its publishers, and nothing is dropped.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::ServerConfig;
use wirelab_transport::handshake::{Hello, MAX_HELLO, Role, WELCOME};
use wirelab_transport::relay::{Topics, accept_all, lock};
use wirelab_transport::{Dialled, Duplex, MAX_MESSAGE, accept};

/// Time limit for a client's hello: the longest connect timeout, so that no slow link exceeds it.
const HELLO_WITHIN: Duration = Duration::from_hours(1);

type Subscribers = Topics<Mutex<Box<dyn Duplex>>>;

/// Accepts clients forever, with TLS if `tls` is given.
pub fn serve(listener: &TcpListener, tls: Option<Arc<ServerConfig>>) {
    let topics = Subscribers::default();
    accept_all(listener, move |stream| client(stream, tls.clone(), &topics));
}

fn client(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    topics: &Subscribers,
) -> io::Result<()> {
    stream.set_read_timeout(Some(HELLO_WITHIN))?;
    let Dialled { stream, socket } = accept(stream, tls)?;
    let mut reader = BufReader::with_capacity(1 << 16, stream);
    let mut line = Vec::new();
    reader
        .by_ref()
        .take(MAX_HELLO as u64 + 1)
        .read_until(b'\n', &mut line)?;
    let hello =
        Hello::parse(&line).ok_or_else(|| io::Error::other("the first line is not a hello"))?;
    socket.set_read_timeout(None)?;
    match hello.role {
        Role::Publisher => {
            welcome(reader.get_mut())?;
            relay(&mut reader, topics, &hello.topic)
        }
        // Before the welcome a client sends nothing more, so the reader's buffer is empty.
        Role::Subscriber => subscribe(reader.into_inner(), socket, topics, &hello.topic),
    }
}

fn welcome(stream: &mut impl Write) -> io::Result<()> {
    stream.write_all(WELCOME)?;
    stream.flush()
}

/// The subscriber is registered before it receives the welcome.
fn subscribe(
    stream: Box<dyn Duplex>,
    mut socket: TcpStream,
    topics: &Subscribers,
    topic: &str,
) -> io::Result<()> {
    let writer = Arc::new(Mutex::new(stream));
    let mut guard = lock(&writer);
    topics.join(topic, Arc::clone(&writer));
    welcome(&mut *guard)?;
    drop(guard);
    // Subscribers send nothing more: this returns when they disconnect.
    let left = io::copy(&mut socket, &mut io::sink());
    topics.leave(topic, &writer);
    left.map(drop)
}

fn relay(reader: &mut impl Read, topics: &Subscribers, topic: &str) -> io::Result<()> {
    let mut frame = Vec::new();
    while read_frame(reader, &mut frame)? {
        for subscriber in topics.subscribers(topic) {
            let mut stream = lock(&subscriber);
            if let Err(error) = stream.write_all(&frame).and_then(|()| stream.flush()) {
                eprintln!("tcp subscriber of {topic}: {error}");
            }
        }
    }
    Ok(())
}

/// Reads a frame with its length; false at the end of the stream.
fn read_frame(reader: &mut impl Read, frame: &mut Vec<u8>) -> io::Result<bool> {
    frame.resize(4, 0);
    match reader.read_exact(frame) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
        other => other?,
    }
    let length = u32::from_le_bytes([frame[0], frame[1], frame[2], frame[3]]) as usize;
    if length > MAX_MESSAGE {
        return Err(io::Error::other(format!(
            "frame of {length} B exceeds the limit of {MAX_MESSAGE} B"
        )));
    }
    frame.resize(4 + length, 0);
    reader.read_exact(&mut frame[4..])?;
    Ok(true)
}
