//! DTLS 1.2 (RFC 6347) beneath CoAP (RFC 7252, section 9), by OpenSSL: a session for each remote address, datagrams in and out.

mod session;

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;

pub use self::session::Identity;
use self::session::{Over, Session};
use crate::io::{Datagrams, MAX_DATAGRAM};
use crate::params::SECOND;

/// How often a handshake that stands still is looked at: OpenSSL sends again after 1, 2, 4 ... s (RFC 6347, section 4.2.4.1).
pub(crate) const POLL_INTERVAL: i64 = SECOND / 10;
/// How long a server waits for a handshake to end.
const HANDSHAKE_TIMEOUT: i64 = 60 * SECOND;
/// Clients that a server knows at once.
const MOST_SESSIONS: usize = 20_000;
/// The most that a record holds (RFC 5246, section 6.2.1).
pub const MOST_BYTES: usize = 1 << 14;

/// Has OpenSSL begin, and not clean up at the end: a process may end while a thread is still in it. To be called where another library would
/// have it begin.
pub fn begin() {
    openssl::init();
}

/// The sessions of one socket.
pub struct Dtls {
    identity: Identity,
    /// Whether those who are not known yet may begin.
    accepts: bool,
    sessions: HashMap<SocketAddr, Session>,
    /// Those whose handshake goes on.
    shaking: HashSet<SocketAddr>,
}

impl Dtls {
    /// A server, who accepts.
    pub fn accepting(identity: Identity) -> Self {
        Self::new(identity, true)
    }

    /// A client, whose handshake with `server` begins.
    ///
    /// # Errors
    /// Those of OpenSSL.
    pub fn connecting(identity: Identity, now: i64, server: SocketAddr) -> Result<Self, String> {
        let session = Session::new(&identity, now, Some(server.ip()))?;
        let mut dtls = Self::new(identity, false);
        dtls.sessions.insert(server, session);
        dtls.shaking.insert(server);
        Ok(dtls)
    }

    fn new(identity: Identity, accepts: bool) -> Self {
        Self {
            identity,
            accepts,
            sessions: HashMap::new(),
            shaking: HashSet::new(),
        }
    }

    /// Whether the session with this address can be used.
    pub fn is_open(&self, with: SocketAddr) -> bool {
        self.sessions.contains_key(&with) && !self.shaking.contains(&with)
    }

    /// Takes a datagram; hands over what it says, and leaves what is to be answered.
    ///
    /// # Errors
    /// Why the session with that address is over.
    pub fn receive(
        &mut self,
        now: i64,
        from: SocketAddr,
        datagram: &[u8],
        out: &mut Datagrams,
        hand: impl FnMut(&[u8]),
    ) -> Result<(), String> {
        let begins = self.accepts && is_client_hello(datagram);
        if begins && !self.sessions.contains_key(&from) && self.sessions.len() < MOST_SESSIONS {
            self.sessions
                .insert(from, Session::new(&self.identity, now, None)?);
            self.shaking.insert(from);
        }
        let Some(session) = self.sessions.get_mut(&from) else {
            return Ok(());
        };
        session.take(datagram);
        let going_on = match self.shaking.contains(&from) {
            true => session.shake_hands(),
            false => Ok(true),
        };
        let going_on = going_on.and_then(|is_done| {
            if is_done {
                self.shaking.remove(&from);
                session.read(hand)?;
            }
            Ok(())
        });
        session.leave(from, out);
        going_on.or_else(|over| self.forget(from, over))
    }

    /// Encrypts what is to be sent; what is for an address without a session goes nowhere.
    pub fn seal(&mut self, outgoing: &mut Datagrams) {
        for (to, message) in std::mem::take(outgoing) {
            if !self.is_open(to) {
                continue;
            }
            if let Some(session) = self.sessions.get_mut(&to)
                && session.write(&message)
            {
                session.leave(to, outgoing);
            }
        }
    }

    /// When [`Dtls::expire`] is to be called next.
    pub fn deadline(&self, now: i64) -> Option<i64> {
        (!self.shaking.is_empty()).then(|| now + POLL_INTERVAL)
    }

    /// Sends again what handshakes have waited for too long, and gives up those that do not end.
    ///
    /// # Errors
    /// Why one of them is over.
    pub fn expire(&mut self, now: i64, out: &mut Datagrams) -> Result<(), String> {
        let mut told = Ok(());
        for with in self.shaking.iter().copied().collect::<Vec<_>>() {
            let Some(session) = self.sessions.get_mut(&with) else {
                continue;
            };
            let step = match now - session.since > HANDSHAKE_TIMEOUT {
                true => Err(Some("the handshake does not end".to_owned())),
                false => session.shake_hands(),
            };
            session.leave(with, out);
            match step {
                Ok(true) => {
                    self.shaking.remove(&with);
                }
                Ok(false) => {}
                Err(over) => told = self.forget(with, over),
            }
        }
        told
    }

    /// Tells the other sides that all is over.
    pub fn close(&mut self, out: &mut Datagrams) {
        for (with, mut session) in self.sessions.drain() {
            session.close();
            session.leave(with, out);
        }
    }

    fn forget(&mut self, with: SocketAddr, over: Over) -> Result<(), String> {
        self.sessions.remove(&with);
        self.shaking.remove(&with);
        over.map_or(Ok(()), |why| {
            Err(format!("the DTLS session with {with} broke: {why}"))
        })
    }
}

/// Whether a datagram begins a handshake (RFC 6347, sections 4.1 and 4.2.2): nobody else becomes known.
fn is_client_hello(datagram: &[u8]) -> bool {
    const HANDSHAKE: u8 = 22;
    const CLIENT_HELLO: u8 = 1;
    datagram.first() == Some(&HANDSHAKE) && datagram.get(13) == Some(&CLIENT_HELLO)
}

const _: () = assert!(MOST_BYTES < MAX_DATAGRAM);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_client_hello_begins_a_session() {
        let mut hello = [0; 14];
        (hello[0], hello[13]) = (22, 1);
        assert!(is_client_hello(&hello));
        assert!(!is_client_hello(&hello[..13]));
        assert!(!is_client_hello(b"\x40\x00\x12\x34"), "a CoAP ping");
    }
}
