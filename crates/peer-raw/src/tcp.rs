//! TCP, plain or with TLS 1.3: a hello line in each direction, then frames of a u32 little-endian
//! length and that many bytes.

use std::io::{BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustls::ClientConfig;
use wirelab_peer::{DeliverySink, Fault, Outcomes, Publisher, Setup, Subscriber};
use wirelab_transport::handshake::{self, Role, WELCOME};
use wirelab_transport::{Dialled, Duplex, dial, io_fault};

/// Connects a publisher. A second thread detects the end of the relay, since nothing else is read.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub fn publisher(
    setup: &Setup,
    outcomes: Outcomes,
    tls: Option<ClientConfig>,
) -> Result<Box<dyn Publisher>, Fault> {
    let Dialled { stream, socket } = connect(setup, Role::Publisher, tls)?;
    let leaving = Arc::new(AtomicBool::new(false));
    let what = format!("connection to {}", setup.server());
    // The relay issues no session tickets, so with TLS too it sends a publisher nothing more.
    let mut watched = socket
        .try_clone()
        .map_err(|error| Fault::fatal(&what, error))?;
    let (watch, gone) = (Arc::clone(&leaving), what.clone());
    thread::spawn(move || {
        let why = match watched.read(&mut [0; 1]) {
            Ok(0) => "the relay closed the connection".to_owned(),
            Ok(_) => "the relay sent unexpected data".to_owned(),
            Err(error) => error.to_string(),
        };
        if !watch.load(Ordering::Acquire) {
            outcomes.fault(Fault::fatal(gone, why));
        }
    });
    Ok(Box::new(Tcp {
        stream,
        socket,
        frame: Vec::new(),
        leaving,
        what,
    }))
}

struct Tcp {
    stream: Box<dyn Duplex>,
    socket: TcpStream,
    frame: Vec<u8>,
    leaving: Arc<AtomicBool>,
    what: String,
}

impl Publisher for Tcp {
    fn send(&mut self, _seq: u64, message: &[u8]) -> Result<(), Fault> {
        let length =
            u32::try_from(message.len()).map_err(|error| Fault::fatal("message", error))?;
        self.frame.clear();
        self.frame.extend_from_slice(&length.to_le_bytes());
        self.frame.extend_from_slice(message);
        // With TLS, `flush` passes the last record to the kernel.
        self.stream
            .write_all(&self.frame)
            .and_then(|()| self.stream.flush())
            .map_err(|error| Fault::fatal(&self.what, error))
    }

    fn flush(&mut self) -> Result<(), Fault> {
        // Every write has returned: the kernel has all bytes.
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.leaving.store(true, Ordering::Release);
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

/// Connects a subscriber.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub fn subscriber(
    setup: &Setup,
    sink: DeliverySink,
    tls: Option<ClientConfig>,
) -> Result<Box<dyn Subscriber>, Fault> {
    let Dialled { stream, socket } = connect(setup, Role::Subscriber, tls)?;
    let leaving = Arc::new(AtomicBool::new(false));
    let what = format!("connection to {}", setup.server());
    let leave = Arc::clone(&leaving);
    // A larger limit would only waste memory.
    let longest = setup.largest.max(1 << 20);
    thread::spawn(move || {
        receive(
            sink,
            BufReader::with_capacity(1 << 16, stream),
            longest,
            &what,
            &leave,
        )
    });
    Ok(Box::new(Receiving { socket, leaving }))
}

struct Receiving {
    socket: TcpStream,
    leaving: Arc<AtomicBool>,
}

impl Subscriber for Receiving {
    fn close(self: Box<Self>) {
        self.leaving.store(true, Ordering::Release);
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

fn receive(
    mut sink: DeliverySink,
    mut input: impl Read,
    longest: usize,
    what: &str,
    leaving: &AtomicBool,
) {
    let mut message = Vec::new();
    loop {
        match read_frame(&mut input, &mut message, longest) {
            Ok(()) => sink.deliver(&message, false),
            Err(_) if leaving.load(Ordering::Acquire) => return,
            Err(why) => return sink.fault(Fault::fatal(what, why)),
        }
    }
}

fn read_frame(input: &mut impl Read, message: &mut Vec<u8>, longest: usize) -> Result<(), String> {
    let why = |error: std::io::Error| match error.kind() {
        ErrorKind::UnexpectedEof => "the relay closed the connection".to_owned(),
        _ => error.to_string(),
    };
    let mut length = [0; 4];
    input.read_exact(&mut length).map_err(why)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > longest {
        return Err(format!(
            "frame of {length} B is longer than any message of this trial"
        ));
    }
    message.resize(length, 0);
    input.read_exact(message).map_err(why)
}

fn connect(setup: &Setup, role: Role, tls: Option<ClientConfig>) -> Result<Dialled, Fault> {
    let fault = |error: std::io::Error| io_fault(setup, &error);
    let hello = format!("{}\n", handshake::hello(role, setup)?);
    let mut dialled = dial(setup, tls)?;
    dialled.stream.write_all(hello.as_bytes()).map_err(fault)?;
    dialled.stream.flush().map_err(fault)?;
    let mut answer = [0; WELCOME.len()];
    dialled.stream.read_exact(&mut answer).map_err(fault)?;
    if answer != WELCOME {
        return Err(Fault::fatal(
            format!("connect {}", setup.server()),
            "the server is not the relay: unexpected answer to the hello",
        ));
    }
    dialled.socket.set_read_timeout(None).map_err(fault)?;
    Ok(dialled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_a_length_and_that_many_bytes() {
        let mut message = Vec::new();
        let mut input = &b"\x02\0\0\0ab\xff\xff\xff\x7f"[..];
        read_frame(&mut input, &mut message, 1000).unwrap();
        assert_eq!(message, b"ab");
        assert!(
            read_frame(&mut input, &mut message, 1000)
                .unwrap_err()
                .contains("2147483647 B")
        );
        assert_eq!(
            read_frame(&mut input, &mut message, 1000).unwrap_err(),
            "the relay closed the connection"
        );
    }
}
