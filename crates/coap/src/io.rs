//! A state machine on a UDP socket.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::socket::{setsockopt, sockopt};
use nix::sys::time::{TimeSpec, TimeValLike};
use nix::time::{ClockId, clock_gettime};

/// Outgoing datagrams with their destinations.
pub type Datagrams = Vec<(SocketAddr, Vec<u8>)>;

/// A state machine without I/O: it receives datagrams and the time, and produces datagrams. Times
/// are in ns of `CLOCK_MONOTONIC`.
pub trait Engine {
    /// A datagram arrived.
    fn receive(&mut self, now: i64, from: SocketAddr, datagram: &[u8]);
    /// Handles the timers that are due at `now`.
    fn expire(&mut self, now: i64);
    /// When [`Engine::expire`] must be called next.
    fn deadline(&self) -> Option<i64>;
    /// Outgoing datagrams; the caller drains them.
    fn outgoing(&mut self) -> &mut Datagrams;
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct Woken {
    /// The socket is readable.
    pub socket: bool,
    /// The other descriptor is readable or closed.
    pub other: bool,
}

/// Maximum size of a datagram.
pub const MAX_DATAGRAM: usize = 65_536;

/// `CLOCK_MONOTONIC` in ns.
pub fn now() -> i64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .expect("CLOCK_MONOTONIC exists on every Linux")
        .num_nanoseconds()
}

/// Enlarges the socket's receive buffer up to `bytes`, as far as permitted, and returns its size as
/// the kernel counts it. The default of 208 KiB overflows at a few hundred small datagrams.
///
/// # Errors
/// If the size cannot be read.
pub fn enlarge_receive_buffer(socket: &UdpSocket, bytes: usize) -> io::Result<usize> {
    if setsockopt(socket, sockopt::RcvBufForce, &bytes).is_err() {
        setsockopt(socket, sockopt::RcvBuf, &bytes)?;
    }
    Ok(nix::sys::socket::getsockopt(socket, sockopt::RcvBuf)?)
}

/// Sends an engine's outgoing datagrams. A datagram to a destination that refuses it or is
/// unreachable is dropped, as on the network.
///
/// # Errors
/// `ConnectionRefused` if the peer of a connected socket has reported that the port is closed; all
/// datagrams are sent anyway.
pub fn send_all(socket: &UdpSocket, outgoing: &mut Datagrams, connected: bool) -> io::Result<()> {
    let mut refused = Ok(());
    for (to, bytes) in outgoing.drain(..) {
        loop {
            let sent = if connected {
                socket.send(&bytes)
            } else {
                socket.send_to(&bytes, to)
            };
            match sent {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait_writable(socket)?,
                // The error belongs to an earlier datagram; this one has not been sent yet.
                Err(error)
                    if error.kind() == io::ErrorKind::ConnectionRefused && refused.is_ok() =>
                {
                    refused = Err(error)
                }
                _ => break,
            }
        }
    }
    refused
}

/// Waits until the socket or the other descriptor is readable, or until `until` (`None`: forever).
///
/// # Errors
/// Those of ppoll(2).
pub fn wait(
    socket: &UdpSocket,
    other: Option<BorrowedFd>,
    until: Option<i64>,
) -> io::Result<Woken> {
    let mut fds = vec![PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
    fds.extend(other.map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
    let timeout = until.map(|until| TimeSpec::nanoseconds((until - now()).max(0)));
    match ppoll(&mut fds, timeout, None) {
        Ok(_) => {}
        Err(nix::errno::Errno::EINTR) => return Ok(Woken::default()),
        Err(error) => return Err(error.into()),
    }
    let ready = |fd: &PollFd| fd.revents().is_some_and(|events| !events.is_empty());
    Ok(Woken {
        socket: ready(&fds[0]),
        other: fds.get(1).is_some_and(ready),
    })
}

fn wait_writable(socket: &UdpSocket) -> io::Result<()> {
    ppoll(
        &mut [PollFd::new(socket.as_fd(), PollFlags::POLLOUT)],
        None,
        None,
    )?;
    Ok(())
}
