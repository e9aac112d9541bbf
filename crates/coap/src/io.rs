//! A state machine on a UDP socket.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::socket::{setsockopt, sockopt};
use nix::sys::time::{TimeSpec, TimeValLike};
use nix::time::{ClockId, clock_gettime};

/// Datagrams to send, each with its destination.
pub type Datagrams = Vec<(SocketAddr, Vec<u8>)>;

/// A state machine that is given datagrams and time, and yields datagrams. Times are ns of `CLOCK_MONOTONIC`.
pub trait Engine {
    /// A datagram came.
    fn receive(&mut self, now: i64, from: SocketAddr, datagram: &[u8]);
    /// Does what is due at `now`.
    fn expire(&mut self, now: i64);
    /// When [`Engine::expire`] has something to do next.
    fn deadline(&self) -> Option<i64>;
    /// What is to be sent; the caller empties it.
    fn outgoing(&mut self) -> &mut Datagrams;
}

/// What ended a wait.
#[derive(Debug, Clone, Copy, Default)]
pub struct Woken {
    /// The socket can be read.
    pub socket: bool,
    /// The other descriptor can be read, or has ended.
    pub other: bool,
}

/// The largest datagram.
pub const MAX_DATAGRAM: usize = 65_536;

/// `CLOCK_MONOTONIC` in ns.
pub fn now() -> i64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .expect("CLOCK_MONOTONIC exists on every Linux")
        .num_nanoseconds()
}

/// Makes the socket's receive buffer as large as permitted up to `bytes`, and tells its size as the kernel counts it.
/// The default of 208 KiB overflows at a few hundred small datagrams.
///
/// # Errors
/// When the socket does not tell.
pub fn enlarge_receive_buffer(socket: &UdpSocket, bytes: usize) -> io::Result<usize> {
    if setsockopt(socket, sockopt::RcvBufForce, &bytes).is_err() {
        setsockopt(socket, sockopt::RcvBuf, &bytes)?;
    }
    Ok(nix::sys::socket::getsockopt(socket, sockopt::RcvBuf)?)
}

/// Sends everything an engine has to send. A destination that refuses or cannot be reached loses the datagram, as the network would.
///
/// # Errors
/// `ConnectionRefused` when a connected socket's peer has told that nothing listens; everything is sent all the same.
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
                // The refusal belongs to an earlier datagram: this one has not been sent yet.
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

/// Waits until the socket or another descriptor can be read, or `until` has come (`None`: without end).
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
