//! The responder: a CoAP server, whose answers the desk gives.

use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

use wirelab_coap::dtls::Identity;
use wirelab_coap::io::{Engine, enlarge_receive_buffer, now, wait};
use wirelab_coap::wire::Wire;
use wirelab_coap::{Responder, options, request};
use wirelab_peer::{Desk, Fault, Setup, Subscriber};

use crate::subscriber::CoapSubscriber;
use crate::{RECEIVE_BUFFER, settings};

/// Listens at the server's address and starts the thread that answers.
///
/// # Errors
/// A fatal fault that names the address.
pub fn connect(setup: &Setup, desk: Desk) -> Result<Box<dyn Subscriber>, Fault> {
    let transmission = settings::transmission(&setup.options)?;
    let identity = match options::identity(&setup.options)? {
        None => None,
        Some((certificate, key)) => Some(
            Identity::showing(certificate, key)
                .map_err(|why| Fault::fatal(format!("option certificate {certificate:?}"), why))?,
        ),
    };
    let answering = Responder::new(&setup.topic, transmission, fastrand::Rng::new());
    let open = || {
        let socket = UdpSocket::bind(setup.server())?;
        socket.set_nonblocking(true)?;
        enlarge_receive_buffer(&socket, RECEIVE_BUFFER)?;
        let wire = Wire::accepting(identity);
        CoapSubscriber::start(move |stop, ended| {
            respond(&socket, wire, answering, desk, (stop, ended));
        })
    };
    match open() {
        Ok(receiving) => Ok(Box::new(receiving)),
        Err(error) => Err(Fault::fatal(format!("listen on {}", setup.server()), error)),
    }
}

fn respond(
    socket: &UdpSocket,
    mut wire: Wire,
    mut answering: Responder,
    mut desk: Desk,
    (stop, ended): (&AtomicBool, &UnixStream),
) {
    while !stop.load(Ordering::Acquire) {
        // A requester that is gone makes the kernel report a refusal here, or breaks its session.
        let _ = wire.receive_all(socket, &mut answering);
        let _ = wire.expire(socket);
        for asked in answering.take_requests() {
            let answer = desk.answer(
                &request::message(asked.method(), &asked.target, asked.body()),
                false,
            );
            answering.respond(&asked, answer.done, answer.body);
        }
        let _ = wire.send_all(socket, answering.outgoing());
        let next = answering
            .deadline()
            .into_iter()
            .chain(wire.deadline())
            .min();
        match wait(socket, Some(ended.as_fd()), next) {
            Ok(woken) if woken.other => return,
            Ok(_) => {}
            Err(error) => return desk.fault(Fault::fatal(format!("wait at {}", now()), error)),
        }
    }
}
