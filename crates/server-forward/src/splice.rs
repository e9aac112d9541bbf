//! Forwards bytes between two connections in both directions.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;

/// Buffer size per direction; a side that does not read blocks the other.
pub const BUFFER: usize = 1 << 16;

/// Forwards until both directions have ended.
///
/// # Errors
/// Those of the sockets.
pub fn splice(client: TcpStream, server: TcpStream) -> io::Result<()> {
    let (to_client, from_server) = (client.try_clone()?, server.try_clone()?);
    let back = thread::spawn(move || one_way(from_server, to_client));
    let there = one_way(client, server);
    let back = back.join().unwrap_or(Ok(()));
    there.and(back)
}

fn one_way(mut from: TcpStream, mut to: TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    let carried = loop {
        match from.read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(length) => {
                if let Err(error) = to.write_all(&buffer[..length]) {
                    break Err(error);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
        }
    };
    // A connection that breaks on one side must not look alive on the other.
    let end = if carried.is_ok() {
        Shutdown::Write
    } else {
        Shutdown::Both
    };
    let _ = to.shutdown(end);
    carried
}
