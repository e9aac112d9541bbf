//! The requester: over one endpoint that it keeps, as the publisher's, or over an endpoint for each request.

use std::net::UdpSocket;
use std::sync::Arc;
use std::thread;

use wirelab_coap::io::{Engine, MAX_DATAGRAM, now, receive_all, send_all, wait};
use wirelab_coap::{Fate, Method, Publisher as Exchanges, Transmission};
use wirelab_peer::{Fault, Outcomes, Publisher, Request, Setup, Verb};

use crate::{connected_socket, publisher, settings};

/// Pings the responder, and gets ready to ask.
///
/// # Errors
/// A fatal fault that names the server, or an option.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let transmission = settings::transmission(&setup.options)?;
    if setup.largest > transmission.block_size {
        let why = format!(
            "{} B, and requests of more than one block of {} B are not spoken",
            setup.largest, transmission.block_size
        );
        return Err(Fault::fatal("largest message", why));
    }
    match setup.options.text("connection") {
        "kept" => publisher::connect(setup, outcomes, true),
        "each" => each(setup, outcomes, transmission),
        other => Err(Fault::fatal(
            "option connection",
            format!("{other:?} is neither kept nor each"),
        )),
    }
}

/// Asks what a message says: by the method and the path that it names, else by `method`, the message as the body.
pub fn ask(exchanges: &mut Exchanges, seq: u64, message: &[u8], method: Method, confirmable: bool) {
    let Some(request) = Request::read(message) else {
        return exchanges.ask(now(), seq, method, "", message, confirmable);
    };
    let method = match request.verb {
        Verb::Get => Method::Get,
        Verb::Put => Method::Put,
        Verb::Delete => Method::Delete,
    };
    exchanges.ask(
        now(),
        seq,
        method,
        request.target,
        request.body,
        confirmable,
    );
}

fn each(
    setup: &Setup,
    outcomes: Outcomes,
    transmission: Transmission,
) -> Result<Box<dyn Publisher>, Fault> {
    let method = settings::method(&setup.options)?;
    let common = Common {
        setup: setup.clone(),
        transmission,
        method,
    };
    let socket = connected_socket(setup.server())?;
    publisher::ping(setup, &socket, &mut common.exchanges())?;
    Ok(Box::new(Each {
        common: Arc::new(common),
        outcomes,
    }))
}

struct Common {
    setup: Setup,
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

struct Each {
    common: Arc<Common>,
    outcomes: Outcomes,
}

impl Publisher for Each {
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

    /// Nothing shows when the last datagram has left; each request tells its own end.
    fn flush(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

impl Common {
    /// One request on a socket of its own, up to its answer.
    ///
    /// # Errors
    /// Why there was none.
    fn exchange(&self, seq: u64, message: &[u8]) -> Result<(), String> {
        let socket = connected_socket(self.setup.server()).map_err(|fault| fault.to_string())?;
        let mut exchanges = self.exchanges();
        let confirmable = self.setup.qos == "con";
        ask(&mut exchanges, seq, message, self.method, confirmable);
        loop {
            exchanges.expire(now());
            if let Some((_, fate)) = exchanges.take_fates().pop() {
                return match fate {
                    Fate::Acknowledged => Ok(()),
                    Fate::Failed(why) => Err(why),
                };
            }
            step(&socket, &mut exchanges).map_err(|error| error.to_string())?;
        }
    }
}

/// Sends what is to be sent, and takes what comes before the next timer.
fn step(socket: &UdpSocket, exchanges: &mut Exchanges) -> std::io::Result<()> {
    let mut buffer = [0; MAX_DATAGRAM];
    send_all(socket, exchanges.outgoing(), true)?;
    if wait(socket, None, exchanges.deadline())?.socket {
        receive_all(socket, exchanges, &mut buffer)?;
    }
    Ok(())
}
