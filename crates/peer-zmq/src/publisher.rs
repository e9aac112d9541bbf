//! The publisher: an XPUB socket, which is a PUB socket that reports subscriptions.

use std::time::{Duration, Instant};

use wirelab_peer::{Fault, Publisher, Setup};
use zmq::Message;

use crate::endpoint::{Endpoint, Transport, prefix};

/// EPGM: number of empty messages at the start of a session, and the interval between them. A
/// receiver requests retransmissions only of messages after the first one it has seen.
const HELLOS: u32 = 3;
const HELLO_EVERY: Duration = Duration::from_millis(50);

/// Binds, and waits until every subscriber has subscribed, so that no message is lost.
///
/// # Errors
/// A fatal fault that names the endpoint and the cause.
pub fn bind(setup: &Setup) -> Result<Box<dyn Publisher>, Fault> {
    let mut endpoint = Endpoint::new(setup, zmq::XPUB)?;
    if setup.qos == "block" {
        set_nodrop(&mut endpoint)?;
    }
    // Otherwise only the first subscription to a topic is reported.
    endpoint
        .socket
        .set_xpub_verbose(true)
        .map_err(|error| endpoint.fault("set up", error))?;
    endpoint
        .socket
        .bind(&endpoint.address)
        .map_err(|error| endpoint.fault("bind", error))?;
    let prefix = prefix(setup);
    let publisher = Zmq {
        endpoint,
        topic: prefix.len(),
        frame: prefix,
    };
    match Transport::of(setup)? {
        Transport::Tcp => publisher.await_subscribers(setup)?,
        Transport::Epgm => publisher.say_hello()?,
    }
    Ok(Box::new(publisher))
}

struct Zmq {
    endpoint: Endpoint,
    /// Length of the topic prefix in the frame.
    topic: usize,
    frame: Vec<u8>,
}

impl Zmq {
    /// A subscription arrives as a message: 1, then the prefix.
    fn await_subscribers(&self, setup: &Setup) -> Result<(), Fault> {
        let wanted = [b"\x01", &self.frame[..self.topic]].concat();
        let deadline = Instant::now() + setup.connect_timeout;
        let fault = |error| self.endpoint.fault("wait for a subscriber at", error);
        let mut subscribed = 0;
        while subscribed < setup.subscribers {
            let left = deadline.saturating_duration_since(Instant::now());
            let left = i64::try_from(left.as_millis()).unwrap_or(i64::MAX);
            if self
                .endpoint
                .socket
                .poll(zmq::POLLIN, left)
                .map_err(fault)?
                == 0
            {
                return Err(setup.timed_out("wait for a subscriber at"));
            }
            if self.endpoint.socket.recv_bytes(0).map_err(fault)? == wanted {
                subscribed += 1;
            }
        }
        Ok(())
    }

    /// PGM has no subscriptions; these messages let receivers learn of the session.
    fn say_hello(&self) -> Result<(), Fault> {
        for _ in 0..HELLOS {
            std::thread::sleep(HELLO_EVERY);
            // It has no topic prefix, so no subscription matches it.
            self.endpoint
                .socket
                .send(Message::new(), 0)
                .map_err(|error| self.endpoint.fault("send to", error))?;
        }
        Ok(())
    }
}

impl Publisher for Zmq {
    fn send(&mut self, _seq: u64, message: &[u8]) -> Result<(), Fault> {
        self.frame.truncate(self.topic);
        self.frame.extend_from_slice(message);
        // A single call; the binding's message type takes several calls per message. SAFETY: the
        // socket is open, and the frame has this length and outlives the call, which copies it.
        let sent = unsafe {
            zmq_sys::zmq_send(
                self.endpoint.socket.as_mut_ptr(),
                self.frame.as_ptr().cast(),
                self.frame.len(),
                0,
            )
        };
        if sent >= 0 {
            return Ok(());
        }
        // SAFETY: it only reads this thread's error number.
        let error = zmq::Error::from_raw(unsafe { zmq_sys::zmq_errno() });
        Err(self.endpoint.fault("send to", error))
    }

    fn flush(&mut self) -> Result<(), Fault> {
        // libzmq does not report what its I/O thread still holds; it writes as long as the kernel
        // accepts bytes.
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

fn set_nodrop(endpoint: &mut Endpoint) -> Result<(), Fault> {
    let on: i32 = 1;
    // SAFETY: the socket is open, and the option's value is an int of this size that outlives the
    // call.
    let code = unsafe {
        zmq_sys::zmq_setsockopt(
            endpoint.socket.as_mut_ptr(),
            zmq_sys::ZMQ_XPUB_NODROP as i32,
            (&raw const on).cast(),
            size_of_val(&on),
        )
    };
    match code {
        0 => Ok(()),
        _ => Err(Fault::fatal("qos block", std::io::Error::last_os_error())),
    }
}
