//! DTLS 1.2 (RFC 6347) for CoAP (RFC 7252, section 9), through OpenSSL. Keeps a session per remote
//! address; datagrams go in and out.

mod session;

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;

pub use self::session::Identity;
use self::session::{Over, Session};
use crate::io::{Datagrams, MAX_DATAGRAM};
use crate::params::SECOND;

/// How often a stalled handshake is checked. OpenSSL retransmits after 1, 2, 4 ... s (RFC 6347,
/// section 4.2.4.1).
pub(crate) const POLL_INTERVAL: i64 = SECOND / 10;
/// How long a server waits for a handshake: the longest connect timeout, so that no slow link
/// exceeds it.
const HANDSHAKE_TIMEOUT: i64 = 3600 * SECOND;
/// Maximum number of a server's sessions.
const MAX_SESSIONS: usize = 20_000;
/// Maximum payload of a record (RFC 5246, section 6.2.1).
pub const MAX_RECORD_BYTES: usize = 1 << 14;

/// Initializes OpenSSL without its exit handler, because the process may exit while a thread is
/// still in OpenSSL. Must be called before another library initializes it.
pub fn init() {
    openssl::init();
}

/// The sessions of one socket.
pub struct Dtls {
    identity: Identity,
    /// Whether unknown addresses may start a session.
    accepts: bool,
    sessions: HashMap<SocketAddr, Session>,
    /// Sessions whose handshake is in progress.
    shaking: HashSet<SocketAddr>,
}

impl Dtls {
    /// The sessions of a server.
    pub fn accepting(identity: Identity) -> Self {
        Self::new(identity, true)
    }

    /// The session of a client; starts its handshake with `server`.
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

    /// Whether the session with this address is established.
    pub fn is_open(&self, with: SocketAddr) -> bool {
        self.sessions.contains_key(&with) && !self.shaking.contains(&with)
    }

    /// Processes a datagram: passes on its messages, and leaves replies in `out`.
    ///
    /// # Errors
    /// Why the session with that address ended.
    pub fn receive(
        &mut self,
        now: i64,
        from: SocketAddr,
        datagram: &[u8],
        out: &mut Datagrams,
        hand: impl FnMut(&[u8]),
    ) -> Result<(), String> {
        let begins = self.accepts && is_client_hello(datagram);
        if begins && !self.sessions.contains_key(&from) && self.sessions.len() < MAX_SESSIONS {
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

    /// Encrypts outgoing messages in place. Messages to addresses without a session are dropped.
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

    /// Retransmits handshake messages that are due, and gives up handshakes that timed out.
    ///
    /// # Errors
    /// Why one of the sessions ended.
    pub fn expire(&mut self, now: i64, out: &mut Datagrams) -> Result<(), String> {
        let mut result = Ok(());
        for with in self.shaking.iter().copied().collect::<Vec<_>>() {
            let Some(session) = self.sessions.get_mut(&with) else {
                continue;
            };
            let step = match now - session.since > HANDSHAKE_TIMEOUT {
                true => Err(Some("the handshake timed out".to_owned())),
                false => session.shake_hands(),
            };
            session.leave(with, out);
            match step {
                Ok(true) => {
                    self.shaking.remove(&with);
                }
                Ok(false) => {}
                Err(over) => result = self.forget(with, over),
            }
        }
        result
    }

    /// Closes all sessions.
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

/// Whether a datagram is a ClientHello (RFC 6347, sections 4.1 and 4.2.2). Only that starts a
/// session.
fn is_client_hello(datagram: &[u8]) -> bool {
    const HANDSHAKE: u8 = 22;
    const CLIENT_HELLO: u8 = 1;
    datagram.first() == Some(&HANDSHAKE) && datagram.get(13) == Some(&CLIENT_HELLO)
}

const _: () = assert!(MAX_RECORD_BYTES < MAX_DATAGRAM);

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
