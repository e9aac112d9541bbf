//! Frames from each publisher are written to every subscriber of its topic by the publisher's own thread. There is no queue:
//! a subscriber that does not read holds its publishers up, and nothing is ever dropped.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::hello::{Hello, MAX_HELLO, Role};

/// Longer frames end their connection.
pub const MAX_MESSAGE: u32 = 64 << 20;
/// What a client hears after its hello.
const WELCOME: &[u8] = b"ok\n";
/// How long a client may take for its hello.
const HELLO_WITHIN: Duration = Duration::from_secs(30);

type Topics = Mutex<HashMap<String, Vec<Arc<Mutex<TcpStream>>>>>;

/// Accepts clients for ever.
pub fn serve(listener: &TcpListener) {
    let topics = Arc::new(Topics::default());
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                let topics = Arc::clone(&topics);
                thread::spawn(move || {
                    if let Err(error) = client(stream, &topics) {
                        eprintln!("tcp client: {error}");
                    }
                });
            }
            Err(error) => {
                eprintln!("accept: {error}");
                // Out of file descriptors, most likely: accepting again at once would only spin.
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
}

fn client(stream: TcpStream, topics: &Topics) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(HELLO_WITHIN))?;
    let mut reader = BufReader::with_capacity(1 << 16, stream.try_clone()?);
    let mut line = Vec::new();
    reader
        .by_ref()
        .take(MAX_HELLO as u64 + 1)
        .read_until(b'\n', &mut line)?;
    let hello =
        Hello::parse(&line).ok_or_else(|| io::Error::other("its first line is no hello"))?;
    stream.set_read_timeout(None)?;
    match hello.role {
        Role::Publisher => {
            (&stream).write_all(WELCOME)?;
            relay(&mut reader, topics, &hello.topic)
        }
        Role::Subscriber => subscribe(stream, topics, hello.topic),
    }
}

/// A subscriber is known to its publishers before it hears the welcome.
fn subscribe(stream: TcpStream, topics: &Topics, topic: String) -> io::Result<()> {
    let mut reader = stream.try_clone()?;
    let writer = Arc::new(Mutex::new(stream));
    let mut guard = lock(&writer);
    lock(topics)
        .entry(topic.clone())
        .or_default()
        .push(Arc::clone(&writer));
    guard.write_all(WELCOME)?;
    drop(guard);
    // Subscribers send nothing more: this returns when they leave.
    let left = io::copy(&mut reader, &mut io::sink());
    if let Some(subscribers) = lock(topics).get_mut(&topic) {
        subscribers.retain(|subscriber| !Arc::ptr_eq(subscriber, &writer));
    }
    left.map(drop)
}

fn relay(reader: &mut impl Read, topics: &Topics, topic: &str) -> io::Result<()> {
    let mut frame = Vec::new();
    while read_frame(reader, &mut frame)? {
        let subscribers = lock(topics).get(topic).cloned().unwrap_or_default();
        for subscriber in subscribers {
            if let Err(error) = lock(&subscriber).write_all(&frame) {
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
    let length = u32::from_le_bytes([frame[0], frame[1], frame[2], frame[3]]);
    if length > MAX_MESSAGE {
        return Err(io::Error::other(format!(
            "a frame of {length} B, at most {MAX_MESSAGE} B are relayed"
        )));
    }
    frame.resize(4 + length as usize, 0);
    reader.read_exact(&mut frame[4..])?;
    Ok(true)
}

/// A thread that panicked while it held a lock left nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
