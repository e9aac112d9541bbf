//! The requester: one endpoint for all requests, as the publisher's, or one endpoint per request.

use std::net::UdpSocket;
use std::sync::Arc;
use std::thread;

use wirelab_coap::endpoint_io::EndpointIo;
use wirelab_coap::io::{Engine, now, wait};
use wirelab_coap::{Fate, Method, Publisher as Exchanges, Transmission, options, request};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use crate::dial::Dialer;
use crate::{publisher, settings};

/// Pings the responder.
///
/// # Errors
/// A fatal fault that names the server or an option.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let transmission = settings::transmission(&setup.options)?;
    if setup.largest > transmission.block_size {
        let why = format!(
            "{} B: requests larger than one block of {} B are not supported",
            setup.largest, transmission.block_size
        );
        return Err(Fault::fatal("largest message", why));
    }
    match options::is_each(&setup.options)? {
        false => publisher::connect(setup, outcomes, true),
        true => connect_per_request(setup, outcomes, transmission),
    }
}

/// Sends a message as a request.
pub fn ask(exchanges: &mut Exchanges, seq: u64, message: &[u8], method: Method, confirmable: bool) {
    let (method, target, body) = request::read(message, method);
    exchanges.ask(now(), seq, method, target, body, confirmable);
}

fn connect_per_request(
    setup: &Setup,
    outcomes: Outcomes,
    transmission: Transmission,
) -> Result<Box<dyn Publisher>, Fault> {
    let method = options::method(&setup.options)?;
    let common = Common {
        setup: setup.clone(),
        dialer: Dialer::new(setup)?,
        transmission,
        method,
    };
    let (socket, mut io) = common.dialer.dial()?;
    publisher::ping(setup, &socket, &mut io, &mut common.exchanges())?;
    io.close(&socket);
    Ok(Box::new(PerRequestSocket {
        common: Arc::new(common),
        outcomes,
    }))
}

struct Common {
    setup: Setup,
    dialer: Dialer,
    transmission: Transmission,
    method: Method,
}

impl Common {
    fn exchanges(&self) -> Exchanges {
        let (setup, rng) = (&self.setup, fastrand::Rng::new());
        Exchanges::new(
            setup.server(),
            &setup.topic,
            self.method,
            self.transmission,
            rng,
        )
    }
}

struct PerRequestSocket {
    common: Arc<Common>,
    outcomes: Outcomes,
}

impl Publisher for PerRequestSocket {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let (common, outcomes) = (Arc::clone(&self.common), self.outcomes.clone());
        let message = message.to_vec();
        thread::spawn(move || match common.exchange(seq, &message) {
            Ok(()) => outcomes.answered(seq),
            Err(why) => {
                outcomes.failed(seq);
                outcomes.fault(Fault::minor(format!("request {seq}"), why));
            }
        });
        Ok(())
    }

    /// Nothing reports when the last datagram has been sent; each request reports its own end.
    fn flush(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

impl Common {
    /// One request on its own socket, until its answer.
    ///
    /// # Errors
    /// Why there was no answer.
    fn exchange(&self, seq: u64, message: &[u8]) -> Result<(), String> {
        let (socket, mut io) = self.dialer.dial().map_err(|fault| fault.to_string())?;
        let mut exchanges = self.exchanges();
        let confirmable = self.setup.qos == "con";
        ask(&mut exchanges, seq, message, self.method, confirmable);
        loop {
            exchanges.expire(now());
            if let Some((_, fate)) = exchanges.take_fates().pop() {
                io.close(&socket);
                return match fate {
                    Fate::Acknowledged => Ok(()),
                    Fate::Failed(why) => Err(why),
                };
            }
            step(&socket, &mut io, &mut exchanges).map_err(|error| error.to_string())?;
        }
    }
}

/// Sends outgoing datagrams, and receives until the next timer.
fn step(socket: &UdpSocket, io: &mut EndpointIo, exchanges: &mut Exchanges) -> std::io::Result<()> {
    io.send_all(socket, exchanges.outgoing())?;
    if wait(socket, None, exchanges.deadline())?.socket {
        io.receive_all(socket, exchanges)?;
    }
    Ok(())
}
