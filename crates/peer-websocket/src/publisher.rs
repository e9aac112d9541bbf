//! The publisher: the pacer's thread writes, a second thread detects the end of the relay.

use std::io::Read;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bytes::Bytes;
use tungstenite::{Message, WebSocket};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};
use wirelab_transport::Duplex;

use crate::connection::{Opened, open};

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let Opened { web, socket } = open(setup, "publish")?;
    let what = format!("connection to {}", setup.server());
    let leaving = Arc::new(AtomicBool::new(false));
    let mut watched = socket
        .try_clone()
        .map_err(|error| Fault::fatal(&what, error))?;
    let (watch, gone) = (Arc::clone(&leaving), what.clone());
    thread::spawn(move || {
        // The relay sends a publisher nothing but a close frame.
        let why = match watched.read(&mut [0; 1]) {
            Ok(_) => "the relay closed the connection".to_owned(),
            Err(error) => error.to_string(),
        };
        if !watch.load(Ordering::Acquire) {
            outcomes.fault(Fault::fatal(gone, why));
        }
    });
    Ok(Box::new(Publishing {
        web,
        socket,
        leaving,
        what,
    }))
}

struct Publishing {
    web: WebSocket<Box<dyn Duplex>>,
    socket: TcpStream,
    leaving: Arc<AtomicBool>,
    what: String,
}

impl Publisher for Publishing {
    fn send(&mut self, _seq: u64, message: &[u8]) -> Result<(), Fault> {
        // The library masks the message in place (RFC 6455, 5.3), so it needs its own copy.
        let message = Message::Binary(Bytes::copy_from_slice(message));
        self.web
            .send(message)
            .map_err(|error| Fault::fatal(&self.what, error))
    }

    fn flush(&mut self) -> Result<(), Fault> {
        // Every send has written and flushed: the kernel has all bytes.
        Ok(())
    }

    fn close(mut self: Box<Self>) {
        self.leaving.store(true, Ordering::Release);
        // The relay may be gone.
        let _ = self.web.close(None).and_then(|()| self.web.flush());
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}
