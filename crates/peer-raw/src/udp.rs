//! UDP: a hello datagram, repeated until the relay answers; then one datagram per message, without
//! framing.

use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};
use wirelab_peer::{DeliverySink, Fault, Publisher, ReceiveThread, Setup, Subscriber};
use wirelab_transport::handshake::{self, Role};

/// The relay's answer to a hello. It answers every repetition, so a subscriber may receive it
/// again.
const WELCOME: &[u8] = b"{\"wirelab\":1,\"ok\":true}";
/// Interval between hellos.
const HELLO_EVERY: Duration = Duration::from_millis(500);
/// How often the receiving thread checks whether it must stop.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Registers a publisher.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub fn publisher(setup: &Setup) -> Result<Box<dyn Publisher>, Fault> {
    let socket = connect(setup, Role::Publisher)?;
    Ok(Box::new(Udp {
        socket,
        what: format!("send to {}", setup.server()),
    }))
}

struct Udp {
    socket: UdpSocket,
    what: String,
}

impl Publisher for Udp {
    fn send(&mut self, _seq: u64, message: &[u8]) -> Result<(), Fault> {
        match self.socket.send(message) {
            Ok(_) => Ok(()),
            Err(error) => Err(Fault::fatal(&self.what, error)),
        }
    }

    fn flush(&mut self) -> Result<(), Fault> {
        // Every send has returned: the kernel has all bytes.
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

/// Registers a subscriber.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub fn subscriber(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let socket = connect(setup, Role::Subscriber)?;
    let what = format!("receive from {}", setup.server());
    socket
        .set_read_timeout(Some(POLL_INTERVAL))
        .map_err(|error| Fault::fatal(&what, error))?;
    Ok(ReceiveThread::start(move |stop| {
        receive(sink, &socket, &what, stop);
    }))
}

fn receive(mut sink: DeliverySink, socket: &UdpSocket, what: &str, stop: &AtomicBool) {
    let mut buffer = vec![0; 1 << 16];
    while !stop.load(Ordering::Acquire) {
        match socket.recv(&mut buffer) {
            Ok(length) if buffer[..length] == *WELCOME => {}
            Ok(length) => sink.deliver(&buffer[..length], false),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return sink.fault(Fault::fatal(what, error)),
        }
    }
}

fn connect(setup: &Setup, role: Role) -> Result<UdpSocket, Fault> {
    let server = setup.server();
    let what = format!("connect {server}");
    let fault = |error: std::io::Error| Fault::fatal(&what, error);
    let deadline = Instant::now() + setup.connect_timeout;
    let socket = open(server, setup.options.parse("receive_buffer_bytes")?).map_err(fault)?;
    let hello = handshake::hello(role, setup)?;
    let mut answer = [0; 64];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(setup.timed_out("connect"));
        }
        socket
            .set_read_timeout(Some(left.min(HELLO_EVERY)))
            .map_err(fault)?;
        socket.send(hello.as_bytes()).map_err(fault)?;
        match socket.recv(&mut answer) {
            Ok(length) if answer[..length] == *WELCOME => break,
            // A message of another publisher may arrive first.
            Ok(_) => {}
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(fault(error)),
        }
    }
    socket.set_read_timeout(None).map_err(fault)?;
    Ok(socket)
}

fn open(server: SocketAddr, receive_buffer: usize) -> std::io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(server), Type::DGRAM, None)?;
    // The kernel limits it to net.core.rmem_max.
    socket.set_recv_buffer_size(receive_buffer)?;
    socket.connect(&server.into())?;
    Ok(socket.into())
}
