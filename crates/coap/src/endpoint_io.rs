//! What lies between a state machine and its socket: nothing, or DTLS.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use crate::dtls::{Dtls, Identity, POLL_INTERVAL};
use crate::io::{Datagrams, Engine, MAX_DATAGRAM, now, send_all, wait};

/// Carries the datagrams of one socket, which is non-blocking.
pub struct EndpointIo {
    /// Whether the socket has one peer only.
    connected: bool,
    dtls: Option<Box<Dtls>>,
    buffer: Vec<u8>,
}

impl EndpointIo {
    /// Without encryption. `connected`: the socket is.
    pub fn bare(connected: bool) -> Self {
        Self::new(connected, None)
    }

    /// A server's, encrypted where it has a certificate to show.
    pub fn accepting(identity: Option<Identity>) -> Self {
        Self::new(false, identity.map(Dtls::accepting))
    }

    /// A client's: shakes hands over its connected socket.
    ///
    /// # Errors
    /// `TimedOut` at `until`, or else why there is no session.
    pub fn connecting(
        identity: Identity,
        socket: &UdpSocket,
        server: SocketAddr,
        until: i64,
    ) -> io::Result<Self> {
        let dtls = Dtls::connecting(identity, now(), server).map_err(io::Error::other)?;
        let mut io = Self::new(true, Some(dtls));
        io.expire(socket)?;
        while !io.is_open(server) {
            if now() >= until {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if wait(socket, None, Some(until.min(now() + POLL_INTERVAL)))?.socket {
                match io.take(socket, |_, _| ()) {
                    Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                    _ => {}
                }
            }
            io.expire(socket)?;
        }
        Ok(io)
    }

    fn new(connected: bool, dtls: Option<Dtls>) -> Self {
        Self {
            connected,
            dtls: dtls.map(Box::new),
            buffer: vec![0; MAX_DATAGRAM],
        }
    }

    fn is_open(&self, with: SocketAddr) -> bool {
        self.dtls.as_ref().is_none_or(|dtls| dtls.is_open(with))
    }

    /// Sends everything an engine has to send.
    ///
    /// # Errors
    /// As [`send_all`].
    pub fn send_all(&mut self, socket: &UdpSocket, outgoing: &mut Datagrams) -> io::Result<()> {
        if let Some(dtls) = &mut self.dtls {
            dtls.seal(outgoing);
        }
        send_all(socket, outgoing, self.connected)
    }

    /// Gives an engine what the next datagram says.
    ///
    /// # Errors
    /// `WouldBlock` where none has come; `ConnectionRefused` as in [`send_all`]; another error of the socket, or why the session is over.
    pub fn receive(&mut self, socket: &UdpSocket, engine: &mut impl Engine) -> io::Result<()> {
        self.take(socket, |from, message| {
            engine.receive(now(), from, message);
        })
    }

    /// Gives an engine everything that has arrived.
    ///
    /// # Errors
    /// As [`EndpointIo::receive`], but for `WouldBlock`.
    pub fn receive_all(&mut self, socket: &UdpSocket, engine: &mut impl Engine) -> io::Result<()> {
        loop {
            match self.receive(socket, engine) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn take(
        &mut self,
        socket: &UdpSocket,
        mut hand: impl FnMut(SocketAddr, &[u8]),
    ) -> io::Result<()> {
        let (length, from) = socket.recv_from(&mut self.buffer)?;
        let datagram = &self.buffer[..length];
        let Some(dtls) = &mut self.dtls else {
            hand(from, datagram);
            return Ok(());
        };
        let mut out = Vec::new();
        let taken = dtls.receive(now(), from, datagram, &mut out, |message| {
            hand(from, message);
        });
        let sent = send_all(socket, &mut out, self.connected);
        taken.map_err(io::Error::other).and(sent)
    }

    /// When [`EndpointIo::expire`] is to be called next.
    pub fn deadline(&self) -> Option<i64> {
        self.dtls.as_ref().and_then(|dtls| dtls.deadline(now()))
    }

    /// Does what handshakes need by now.
    ///
    /// # Errors
    /// Why one is over, or as [`send_all`].
    pub fn expire(&mut self, socket: &UdpSocket) -> io::Result<()> {
        let Some(dtls) = &mut self.dtls else {
            return Ok(());
        };
        let mut out = Vec::new();
        let expired = dtls.expire(now(), &mut out);
        let sent = send_all(socket, &mut out, self.connected);
        expired.map_err(io::Error::other).and(sent)
    }

    /// Tells the other sides that all is over.
    pub fn close(&mut self, socket: &UdpSocket) {
        if let Some(dtls) = &mut self.dtls {
            let mut out = Vec::new();
            dtls.close(&mut out);
            let _ = send_all(socket, &mut out, self.connected);
        }
    }
}
