//! Opens connections to the server: a UDP socket, with a handshake if DTLS is used.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use wirelab_coap::dtls::Identity;
use wirelab_coap::endpoint_io::EndpointIo;
use wirelab_coap::io::{enlarge_receive_buffer, now};
use wirelab_coap::options;
use wirelab_peer::{Fault, Setup};

use crate::RECEIVE_BUFFER;

/// Opens sockets to the server.
pub struct Dialer {
    setup: Setup,
    identity: Option<Identity>,
}

impl Dialer {
    /// Reads the certificate authority, if DTLS is used.
    ///
    /// # Errors
    /// A fatal fault that names the option.
    pub fn new(setup: &Setup) -> Result<Self, Fault> {
        let trust = |file| {
            let named = |why| Fault::fatal(format!("option authority {file:?}"), why);
            Identity::client(file).map_err(named)
        };
        let identity = options::authority(&setup.options)?.map(trust).transpose()?;
        let setup = setup.clone();
        Ok(Self { setup, identity })
    }

    /// A non-blocking socket connected to the server, which makes the kernel report a closed port.
    /// With DTLS, returns after the handshake.
    ///
    /// # Errors
    /// A fatal fault that names the server.
    pub fn dial(&self) -> Result<(UdpSocket, EndpointIo), Fault> {
        let server = self.setup.server();
        let fault = |why: io::Error| Fault::fatal(format!("connect {server}"), why);
        let socket = connected_socket(server).map_err(fault)?;
        let Some(identity) = self.identity.clone() else {
            return Ok((socket, EndpointIo::bare(true)));
        };
        let until = now() + self.setup.connect_timeout.as_nanos() as i64;
        match EndpointIo::connecting(identity, &socket, server, until) {
            Ok(io) => Ok((socket, io)),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                Err(self.setup.timed_out("DTLS handshake with"))
            }
            Err(error) => Err(fault(error)),
        }
    }
}

fn connected_socket(server: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = if server.is_ipv4() {
        ([0, 0, 0, 0], 0).into()
    } else {
        ([0u16; 8], 0).into()
    };
    let socket = UdpSocket::bind(any)?;
    socket.connect(server)?;
    socket.set_nonblocking(true)?;
    enlarge_receive_buffer(&socket, RECEIVE_BUFFER)?;
    Ok(socket)
}
