//! The side that observes a resource and fetches the rest of notifications larger than one block.

use std::collections::HashMap;
use std::net::SocketAddr;

use coap_lite::{CoapOption, MessageClass, MessageType, Packet, RequestType};

use crate::block::Block;
use crate::dedup::Dedup;
use crate::io::{Datagrams, Engine};
use crate::message::{self, Ids};
use crate::outbox::{Expired, Outbox};
use crate::params::{SECOND, Transmission};

/// Max-Age of a representation that does not tell (RFC 7252, section 5.10.5).
const DEFAULT_MAX_AGE: u32 = 60;
/// The largest body that is fetched.
const MAX_BODY: usize = 64 << 20;
/// Block-wise fetches under way at once; a server that starts more gets the oldest abandoned.
const MAX_FETCHES: usize = 64;

/// How the registration stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    /// Asked for, not answered yet.
    Pending,
    /// The server has confirmed it.
    Registered,
    /// Refused or not answered, and why.
    Failed(String),
}

/// Observes one resource of one server.
pub struct Observer {
    to: SocketAddr,
    path: Vec<Vec<u8>>,
    transmission: Transmission,
    rng: fastrand::Rng,
    ids: Ids,
    outbox: Outbox<u32>,
    dedup: Dedup,
    token: u32,
    next_token: u32,
    registration: Registration,
    /// The Observe value last seen, and when.
    latest: Option<(u32, i64)>,
    /// The Observe value of a state that a renewal brought; its notification may still be queued at the server.
    renewed: Option<u32>,
    /// When the last representation is no longer fresh, and the registration is renewed.
    renew_at: i64,
    fetches: HashMap<u32, Fetch>,
    arrivals: Vec<Vec<u8>>,
    abandoned: u64,
    out: Datagrams,
}

struct Fetch {
    body: Vec<u8>,
    etag: Option<Vec<u8>>,
    confirmable: bool,
    wanted: Block,
    id: u16,
    wait_until: i64,
}

impl Observer {
    /// An observer of the path `topic`; [`Observer::register`] begins. `rng` decides first IDs, tokens and timeouts.
    pub fn new(
        to: SocketAddr,
        topic: &str,
        transmission: Transmission,
        mut rng: fastrand::Rng,
    ) -> Self {
        let token = rng.u32(..);
        Self {
            to,
            path: message::segments(topic),
            transmission,
            ids: Ids::new(rng.u16(..)),
            outbox: Outbox::new(transmission, rng.fork()),
            rng,
            dedup: Dedup::new(transmission.exchange_lifetime()),
            token,
            next_token: token.wrapping_add(1),
            registration: Registration::Pending,
            latest: None,
            renewed: None,
            renew_at: i64::MAX,
            fetches: HashMap::new(),
            arrivals: Vec::new(),
            abandoned: 0,
            out: Vec::new(),
        }
    }

    /// Asks the server for notifications, with a confirmable GET.
    pub fn register(&mut self, now: i64) {
        self.observe(now, 0);
    }

    /// Asks the server for no more notifications.
    pub fn deregister(&mut self, now: i64) {
        self.observe(now, 1);
    }

    /// How the registration stands.
    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    /// The messages that arrived since the last call.
    pub fn take_arrivals(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.arrivals)
    }

    /// Notifications begun and not finished: a block was lost for good, or the server had a newer state.
    pub fn abandoned(&self) -> u64 {
        self.abandoned
    }

    fn observe(&mut self, now: i64, value: u32) {
        let id = self.ids.next(|id| self.outbox.holds(self.to, id));
        let mut packet = message::request(true, RequestType::Get, id, self.token, &self.path);
        message::add_number(&mut packet, CoapOption::Observe, value);
        if self.transmission.block_size < 1024 {
            let block = Block {
                num: 0,
                more: false,
                size: self.transmission.block_size,
            };
            packet.add_option(CoapOption::Block2, block.encode());
        }
        self.renew_at = i64::MAX;
        self.send(now, id, &packet, true, self.token);
    }

    fn send(&mut self, now: i64, id: u16, packet: &Packet, confirmable: bool, token: u32) {
        let bytes = message::bytes(packet);
        self.out.push((self.to, bytes.clone()));
        if confirmable {
            self.outbox.keep(now, self.to, id, bytes, token);
        }
    }

    /// A notification, or the answer to a registration.
    fn notified(&mut self, now: i64, packet: &Packet) {
        let first = self.registration != Registration::Registered;
        let sequence = message::number(packet, CoapOption::Observe);
        if message::class(packet.header.code) != 2 || sequence.is_none() && first {
            let code = message::code_text(packet.header.code);
            let why = if sequence.is_none() {
                "it does not let this resource be observed"
            } else {
                ""
            };
            self.registration = Registration::Failed(
                format!("the server answered {code} {why}")
                    .trim_end()
                    .to_owned(),
            );
            return;
        }
        let Some(sequence) = sequence else { return };
        self.registration = Registration::Registered;
        let max_age = message::number(packet, CoapOption::MaxAge).unwrap_or(DEFAULT_MAX_AGE);
        // RFC 7641, section 3.3.1: a random 5 to 15 s after the end of freshness.
        self.renew_at = now + i64::from(max_age) * SECOND + self.rng.i64(5 * SECOND..15 * SECOND);
        // The state at registration is no message of the trial; at renewal it is one if its number is new
        // and it is whole (a server that hands over another body could not serve the rest of this one).
        let answers = packet.header.get_type() == MessageType::Acknowledgement;
        let old = self
            .latest
            .is_some_and(|(latest, at)| sequence == latest || !is_newer(sequence, now, latest, at));
        if !old {
            self.latest = Some((sequence, now));
        }
        if answers {
            let whole = packet.get_first_option(CoapOption::Block2).is_none();
            if !first && !old && whole {
                self.renewed = Some(sequence);
                self.take(now, packet);
            }
        } else if self.renewed != Some(sequence) {
            self.take(now, packet);
        }
    }

    fn take(&mut self, now: i64, packet: &Packet) {
        let block = match message::block(packet, CoapOption::Block2) {
            Ok(Some(block)) if block.more => block,
            Ok(_) => return self.arrivals.push(packet.payload.clone()),
            Err(()) => return self.abandoned += 1,
        };
        if block.num != 0 || packet.payload.len() != block.size {
            return self.abandoned += 1;
        }
        self.bound_fetches();
        let token = self.next_token;
        self.next_token = self.next_token.wrapping_add(1);
        let fetch = Fetch {
            body: packet.payload.clone(),
            etag: packet.get_first_option(CoapOption::ETag).cloned(),
            confirmable: packet.header.get_type() == MessageType::Confirmable,
            wanted: Block {
                num: 1,
                more: false,
                size: block.size,
            },
            id: 0,
            wait_until: i64::MAX,
        };
        self.ask(now, token, fetch);
    }

    /// Asks for the next block with a GET of its own token (RFC 7959, section 2.6 and figure 13).
    fn ask(&mut self, now: i64, token: u32, mut fetch: Fetch) {
        fetch.id = self.ids.next(|id| self.outbox.holds(self.to, id));
        let mut packet = message::request(
            fetch.confirmable,
            RequestType::Get,
            fetch.id,
            token,
            &self.path,
        );
        packet.add_option(CoapOption::Block2, fetch.wanted.encode());
        let wait = if fetch.confirmable {
            self.transmission.max_transmit_wait()
        } else {
            self.transmission.non_timeout
        };
        fetch.wait_until = now + wait;
        self.send(now, fetch.id, &packet, fetch.confirmable, token);
        self.fetches.insert(token, fetch);
    }

    fn fetched(&mut self, now: i64, token: u32, packet: &Packet) {
        let Some(mut fetch) = self.fetches.remove(&token) else {
            return;
        };
        let block = message::block(packet, CoapOption::Block2).ok().flatten();
        let same = packet.get_first_option(CoapOption::ETag) == fetch.etag.as_ref();
        let fits = block.is_some_and(|block| block.offset() == fetch.body.len())
            && fetch.body.len() + packet.payload.len() <= MAX_BODY;
        let Some(block) = block.filter(|_| same && fits && message::class(packet.header.code) == 2)
        else {
            if block.is_some_and(|block| block.offset() < fetch.body.len()) {
                self.fetches.insert(token, fetch); // The late answer to an earlier block.
                return;
            }
            return self.abandoned += 1;
        };
        self.outbox.settle(self.to, fetch.id);
        fetch.body.extend_from_slice(&packet.payload);
        if !block.more {
            return self.arrivals.push(fetch.body);
        }
        if packet.payload.len() != block.size {
            return self.abandoned += 1;
        }
        fetch.wanted = Block {
            num: (fetch.body.len() / block.size) as u32,
            more: false,
            size: block.size,
        };
        self.ask(now, token, fetch);
    }

    fn respond(&mut self, now: i64, packet: &Packet) {
        match message::token(packet) {
            Some(token) if token == self.token => self.notified(now, packet),
            Some(token) => self.fetched(now, token, packet),
            None => {}
        }
    }

    fn knows(&self, packet: &Packet) -> bool {
        message::token(packet)
            .is_some_and(|token| token == self.token || self.fetches.contains_key(&token))
    }

    fn gave_up(&mut self, token: u32, why: &str) {
        if token == self.token {
            self.registration = Registration::Failed(why.to_owned());
        } else if self.fetches.remove(&token).is_some() {
            self.abandoned += 1;
        }
    }

    fn bound_fetches(&mut self) {
        if self.fetches.len() >= MAX_FETCHES {
            let oldest = self
                .fetches
                .iter()
                .min_by_key(|(_, fetch)| fetch.wait_until)
                .map(|(token, _)| *token);
            if let Some(fetch) = oldest.and_then(|token| self.fetches.remove(&token)) {
                self.outbox.settle(self.to, fetch.id);
                self.abandoned += 1;
            }
        }
    }
}

impl Engine for Observer {
    fn receive(&mut self, now: i64, from: SocketAddr, datagram: &[u8]) {
        let Some(packet) = message::parse(datagram).filter(|_| from == self.to) else {
            return;
        };
        let id = packet.header.message_id;
        match (packet.header.get_type(), packet.header.code) {
            // An empty acknowledgement announces a separate response; there is nothing to do until it comes.
            (MessageType::Acknowledgement, MessageClass::Empty) => {
                self.outbox.settle(from, id);
            }
            (MessageType::Reset, _) => {
                if let Some(token) = self.outbox.settle(from, id) {
                    self.gave_up(token, "reset by the server");
                }
            }
            (_, MessageClass::Empty | MessageClass::Request(_)) => {}
            (MessageType::Acknowledgement, _) => {
                if self.outbox.settle(from, id).is_some() {
                    self.respond(now, &packet);
                }
            }
            (kind, _) => {
                let again = self.dedup.check(now, from, id, datagram).is_some();
                let answer = if again || self.knows(&packet) {
                    MessageType::Acknowledgement
                } else {
                    MessageType::Reset
                };
                if kind == MessageType::Confirmable || answer == MessageType::Reset {
                    self.out.push((from, message::empty(answer, id)));
                }
                if !again {
                    self.respond(now, &packet);
                }
            }
        }
    }

    fn expire(&mut self, now: i64) {
        while let Some(expired) = self.outbox.expired(now) {
            match expired {
                Expired::Again(to, bytes) => self.out.push((to, bytes)),
                Expired::GaveUp(token) => {
                    self.gave_up(token, "no acknowledgement of the registration")
                }
            }
        }
        let late: Vec<u32> = self
            .fetches
            .iter()
            .filter(|(_, fetch)| fetch.wait_until <= now)
            .map(|(token, _)| *token)
            .collect();
        for token in late {
            if let Some(fetch) = self.fetches.remove(&token) {
                self.outbox.settle(self.to, fetch.id);
                self.abandoned += 1;
            }
        }
        if self.renew_at <= now {
            self.observe(now, 0);
        }
    }

    fn deadline(&self) -> Option<i64> {
        let waits = self
            .fetches
            .values()
            .map(|fetch| fetch.wait_until)
            .chain([self.renew_at])
            .min();
        self.outbox
            .deadline()
            .into_iter()
            .chain(waits.filter(|&until| until < i64::MAX))
            .min()
    }

    fn outgoing(&mut self) -> &mut Datagrams {
        &mut self.out
    }
}

/// RFC 7641, section 3.4: 24-bit serial numbers, valid for 128 s.
fn is_newer(value: u32, now: i64, than: u32, at: i64) -> bool {
    const HALF: u32 = 1 << 23;
    than < value && value - than < HALF
        || than > value && than - value > HALF
        || now > at + 128 * SECOND
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observe_values_compare_as_24_bit_serial_numbers() {
        assert!(is_newer(2, 0, 1, 0) && !is_newer(1, 0, 2, 0) && !is_newer(1, 0, 1, 0));
        assert!(is_newer(0, 0, 0xff_ffff, 0) && !is_newer(0xff_ffff, 0, 0, 0));
        assert!(is_newer(1, 129 * SECOND, 2, 0));
    }
}
