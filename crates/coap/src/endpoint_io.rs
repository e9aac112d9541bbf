//! The layer between a state machine and its socket: plain UDP or DTLS.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use crate::dtls::{Dtls, Identity, POLL_INTERVAL};
use crate::io::{Datagrams, Engine, MAX_DATAGRAM, now, send_all, wait};

/// Sends and receives the datagrams of one non-blocking socket.
pub struct EndpointIo {
    /// Whether the socket is connected to one peer.
    connected: bool,
    dtls: Option<Box<Dtls>>,
    buffer: Vec<u8>,
}

impl EndpointIo {
    /// Plain UDP. `connected`: whether the socket is connected.
    pub fn bare(connected: bool) -> Self {
        Self::new(connected, None)
    }

    /// A server's socket; uses DTLS if there is a certificate.
    pub fn accepting(identity: Option<Identity>) -> Self {
        Self::new(false, identity.map(Dtls::accepting))
    }

    /// A client's connected socket; performs the DTLS handshake.
    ///
    /// # Errors
    /// `TimedOut` at `until`, or why the handshake failed.
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

    /// Sends an engine's outgoing datagrams.
    ///
    /// # Errors
    /// As [`send_all`].
    pub fn send_all(&mut self, socket: &UdpSocket, outgoing: &mut Datagrams) -> io::Result<()> {
        if let Some(dtls) = &mut self.dtls {
            dtls.seal(outgoing);
        }
        send_all(socket, outgoing, self.connected)
    }

    /// Passes the next datagram to an engine.
    ///
    /// # Errors
    /// `WouldBlock` if there is none; `ConnectionRefused` as in [`send_all`]; another error of the
    /// socket, or why the session ended.
    pub fn receive(&mut self, socket: &UdpSocket, engine: &mut impl Engine) -> io::Result<()> {
        self.take(socket, |from, message| {
            engine.receive(now(), from, message);
        })
    }

    /// Passes all datagrams that have arrived to an engine.
    ///
    /// # Errors
    /// As [`EndpointIo::receive`], except `WouldBlock`.
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

    /// Handles the timers of handshakes.
    ///
    /// # Errors
    /// Why a handshake failed, or as [`send_all`].
    pub fn expire(&mut self, socket: &UdpSocket) -> io::Result<()> {
        let Some(dtls) = &mut self.dtls else {
            return Ok(());
        };
        let mut out = Vec::new();
        let expired = dtls.expire(now(), &mut out);
        let sent = send_all(socket, &mut out, self.connected);
        expired.map_err(io::Error::other).and(sent)
    }

    /// Closes all sessions.
    pub fn close(&mut self, socket: &UdpSocket) {
        if let Some(dtls) = &mut self.dtls {
            let mut out = Vec::new();
            dtls.close(&mut out);
            let _ = send_all(socket, &mut out, self.connected);
        }
    }
}
