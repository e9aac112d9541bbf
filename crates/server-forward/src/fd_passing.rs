//! Passes a connection from one process to another over a Unix socket (unix(7), SCM_RIGHTS). It
//! stays in the network namespace in which it was made.

use std::io::{self, IoSlice, IoSliceMut};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use nix::cmsg_space;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

/// Sends a connection.
///
/// # Errors
/// If the other side has closed the socket.
pub fn send(to: &UnixStream, connection: &TcpStream) -> io::Result<()> {
    let descriptors = [connection.as_raw_fd()];
    let rights = [ControlMessage::ScmRights(&descriptors)];
    // At least one byte of data is required.
    let byte = [IoSlice::new(&[0])];
    sendmsg::<()>(to.as_raw_fd(), &byte, &rights, MsgFlags::empty(), None)?;
    Ok(())
}

/// Requests a connection.
///
/// # Errors
/// If the socket has no listener, or no connection could be made.
pub fn request(socket: &Path) -> io::Result<TcpStream> {
    let asking = UnixStream::connect(socket)?;
    let mut byte = [0];
    let mut bytes = [IoSliceMut::new(&mut byte)];
    let mut space = cmsg_space!([RawFd; 1]);
    let received = recvmsg::<()>(
        asking.as_raw_fd(),
        &mut bytes,
        Some(&mut space),
        MsgFlags::MSG_CMSG_CLOEXEC,
    )?;
    for message in received.cmsgs()? {
        if let ControlMessageOwned::ScmRights(descriptors) = message {
            let mut owned = descriptors.into_iter().map(|descriptor| {
                // SAFETY: the kernel has just created this descriptor for this process.
                unsafe { OwnedFd::from_raw_fd(descriptor) }
            });
            if let Some(descriptor) = owned.next() {
                return Ok(descriptor.into());
            }
        }
    }
    Err(io::Error::other(
        "no connection to the server could be made",
    ))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::os::unix::net::UnixListener;
    use std::thread;

    use super::*;

    #[test]
    fn a_connection_that_was_handed_over_reaches_the_server_it_was_made_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let lender = thread::spawn(move || {
            let (asking, _) = listener.accept().unwrap();
            send(&asking, &TcpStream::connect(address).unwrap()).unwrap();
        });
        let mut lent = request(&path).unwrap();
        lender.join().unwrap();
        lent.write_all(b"hello").unwrap();
        drop(lent);
        let mut heard = String::new();
        let (mut client, _) = server.accept().unwrap();
        client.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "hello");
    }

    #[test]
    fn where_no_connection_can_be_made_asking_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let lender = thread::spawn(move || drop(listener.accept().unwrap()));
        assert!(request(&path).is_err());
        lender.join().unwrap();
        assert!(request(&folder.path().join("nobody")).is_err());
    }
}
