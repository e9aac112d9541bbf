//! The responder: a CoAP server, whose answers the desk gives.

use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

use wirelab_coap::io::{
    Engine, MAX_DATAGRAM, enlarge_receive_buffer, now, receive_all, send_all, wait,
};
use wirelab_coap::{Asked, Method, Responder};
use wirelab_peer::{Desk, Fault, Request, Setup, Subscriber, Verb};

use crate::subscriber::CoapSubscriber;
use crate::{RECEIVE_BUFFER, settings};

/// Listens at the server's address and starts the thread that answers.
///
/// # Errors
/// A fatal fault that names the address.
pub fn connect(setup: &Setup, desk: Desk) -> Result<Box<dyn Subscriber>, Fault> {
    let transmission = settings::transmission(&setup.options)?;
    let answering = Responder::new(&setup.topic, transmission, fastrand::Rng::new());
    let open = || {
        let socket = UdpSocket::bind(setup.server())?;
        socket.set_nonblocking(true)?;
        enlarge_receive_buffer(&socket, RECEIVE_BUFFER)?;
        CoapSubscriber::start(move |stop, ended| respond(&socket, answering, desk, stop, ended))
    };
    match open() {
        Ok(receiving) => Ok(Box::new(receiving)),
        Err(error) => Err(Fault::fatal(format!("listen on {}", setup.server()), error)),
    }
}

fn respond(
    socket: &UdpSocket,
    mut answering: Responder,
    mut desk: Desk,
    stop: &AtomicBool,
    ended: &UnixStream,
) {
    let mut buffer = vec![0; MAX_DATAGRAM];
    while !stop.load(Ordering::Acquire) {
        // A requester that is gone makes the kernel report a refusal here.
        let _ = receive_all(socket, &mut answering, &mut buffer);
        for asked in answering.take_requests() {
            let answer = desk.answer(&message(&asked), false);
            answering.respond(&asked, answer.done, answer.body);
        }
        let _ = send_all(socket, answering.outgoing(), false);
        match wait(socket, Some(ended.as_fd()), answering.deadline()) {
            Ok(woken) if woken.other => return,
            Ok(_) => {}
            Err(error) => return desk.fault(Fault::fatal(format!("wait at {}", now()), error)),
        }
    }
}

/// The message that was made this request.
fn message(asked: &Asked) -> Vec<u8> {
    let verb = match asked.method() {
        Method::Get => Verb::Get,
        Method::Put => Verb::Put,
        Method::Delete => Verb::Delete,
        Method::Post => return asked.body().to_vec(),
    };
    Request {
        verb,
        target: &asked.target,
        body: asked.body(),
    }
    .write()
}
