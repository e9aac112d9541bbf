//! The responder: a CoAP server.

use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

use wirelab_coap::dtls::Identity;
use wirelab_coap::endpoint_io::EndpointIo;
use wirelab_coap::io::{Engine, enlarge_receive_buffer, now, wait};
use wirelab_coap::{Responder as CoapResponder, options, request};
use wirelab_peer::{Fault, Responder, Setup, Subscriber};

use crate::subscriber::CoapSubscriber;
use crate::{RECEIVE_BUFFER, settings};

/// Listens at the server's address and starts the thread that answers.
///
/// # Errors
/// A fatal fault that names the address.
pub fn connect(setup: &Setup, responder: Responder) -> Result<Box<dyn Subscriber>, Fault> {
    let transmission = settings::transmission(&setup.options)?;
    let identity = match options::identity(&setup.options)? {
        None => None,
        Some((certificate, key)) => Some(
            Identity::server(certificate, key)
                .map_err(|why| Fault::fatal(format!("option certificate {certificate:?}"), why))?,
        ),
    };
    let engine = CoapResponder::new(&setup.topic, transmission, fastrand::Rng::new());
    let open = || {
        let socket = UdpSocket::bind(setup.server())?;
        socket.set_nonblocking(true)?;
        enlarge_receive_buffer(&socket, RECEIVE_BUFFER)?;
        let io = EndpointIo::accepting(identity);
        CoapSubscriber::start(move |stop, ended| {
            respond(&socket, io, engine, responder, (stop, ended));
        })
    };
    match open() {
        Ok(receiving) => Ok(Box::new(receiving)),
        Err(error) => Err(Fault::fatal(format!("listen on {}", setup.server()), error)),
    }
}

fn respond(
    socket: &UdpSocket,
    mut io: EndpointIo,
    mut engine: CoapResponder,
    mut responder: Responder,
    (stop, ended): (&AtomicBool, &UnixStream),
) {
    while !stop.load(Ordering::Acquire) {
        // A requester that has left makes the kernel report a closed port here, or breaks its
        // session.
        let _ = io.receive_all(socket, &mut engine);
        let _ = io.expire(socket);
        for asked in engine.take_requests() {
            let answer = responder.answer(
                &request::message(asked.method(), &asked.target, asked.body()),
                false,
            );
            engine.respond(&asked, answer.done, answer.body);
        }
        let _ = io.send_all(socket, engine.outgoing());
        let next = engine.deadline().into_iter().chain(io.deadline()).min();
        match wait(socket, Some(ended.as_fd()), next) {
            Ok(woken) if woken.other => return,
            Ok(_) => {}
            Err(error) => {
                return responder.fault(Fault::fatal(format!("wait at {}", now()), error));
            }
        }
    }
}
