//! The subscriber: one thread receives.

use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tungstenite::{Message, WebSocket};
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};
use wirelab_transport::Duplex;

use crate::connection::{Opened, open};

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub fn connect(setup: &Setup, mut sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let Opened { mut web, socket } = open(setup, "subscribe")?;
    let leaving = Arc::new(AtomicBool::new(false));
    let what = format!("connection to {}", setup.server());
    let leave = Arc::clone(&leaving);
    thread::spawn(move || {
        let why = receive(&mut web, &mut sink);
        if !leave.load(Ordering::Acquire) {
            sink.fault(Fault::fatal(what, why));
        }
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

/// Delivers until the connection ends. Returns the reason.
fn receive(web: &mut WebSocket<Box<dyn Duplex>>, sink: &mut DeliverySink) -> String {
    loop {
        match web.read() {
            Ok(Message::Binary(message)) => sink.deliver(&message, false),
            Ok(Message::Close(_)) => return "the relay closed the connection".to_owned(),
            Ok(_) => {}
            Err(error) => return error.to_string(),
        }
    }
}
