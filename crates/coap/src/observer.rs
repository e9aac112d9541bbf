//! The observer of a resource. It fetches the rest of notifications larger than one block.

mod engine;
mod fetch;

use std::collections::HashMap;
use std::net::SocketAddr;

use coap_lite::{CoapOption, MessageType, Packet, RequestType};

use self::fetch::Fetch;
use crate::block::Block;
use crate::dedup::Dedup;
use crate::io::Datagrams;
use crate::message::{self, Ids};
use crate::params::{SECOND, Transmission};
use crate::transmit_queue::TransmitQueue;

/// Default of Max-Age (RFC 7252, section 5.10.5).
const DEFAULT_MAX_AGE: u32 = 60;

/// State of the registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    /// Requested, not answered yet.
    Pending,
    /// The server has confirmed it.
    Registered,
    /// Refused or timed out, with the reason.
    Failed(String),
}

/// Observes one resource of one server.
pub struct Observer {
    to: SocketAddr,
    path: Vec<Vec<u8>>,
    transmission: Transmission,
    rng: fastrand::Rng,
    ids: Ids,
    transmit_queue: TransmitQueue<u32>,
    dedup: Dedup,
    token: u32,
    next_token: u32,
    registration: Registration,
    /// The last Observe value, and when it arrived.
    latest: Option<(u32, i64)>,
    /// The Observe value of a state that came with a renewal; its notification may still be queued
    /// at the server.
    renewed: Option<u32>,
    /// When the last representation expires and the registration is renewed.
    renew_at: i64,
    fetches: HashMap<u32, Fetch>,
    arrivals: Vec<Vec<u8>>,
    abandoned: u64,
    out: Datagrams,
}

impl Observer {
    /// An observer of the path `topic`; [`Observer::register`] starts it. `rng` determines first
    /// IDs, tokens and timeouts.
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
            transmit_queue: TransmitQueue::new(transmission, rng.fork()),
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

    /// Registers with a confirmable GET. If that is given up without an answer, it is sent again:
    /// the caller decides when to stop.
    pub fn register(&mut self, now: i64) {
        self.observe(now, 0);
    }

    /// Cancels the observation.
    pub fn deregister(&mut self, now: i64) {
        self.observe(now, 1);
    }

    /// State of the registration.
    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    /// The messages that arrived since the last call.
    pub fn take_arrivals(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.arrivals)
    }

    /// Number of notifications that were not completed: a block was lost, or the server had a newer
    /// state.
    pub fn abandoned(&self) -> u64 {
        self.abandoned
    }

    fn observe(&mut self, now: i64, value: u32) {
        let id = self.ids.next(|id| self.transmit_queue.holds(self.to, id));
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
            self.transmit_queue.keep(now, self.to, id, bytes, token);
        }
    }

    /// Handles a notification or the answer to a registration.
    fn notified(&mut self, now: i64, packet: &Packet) {
        let first = self.registration != Registration::Registered;
        let sequence = message::number(packet, CoapOption::Observe);
        if message::class(packet.header.code) != 2 || sequence.is_none() && first {
            let code = message::code_text(packet.header.code);
            let why = if sequence.is_none() {
                "without the Observe option"
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
        // RFC 7641, section 3.3.1: a random 5 to 15 s after expiry.
        self.renew_at = now + i64::from(max_age) * SECOND + self.rng.i64(5 * SECOND..15 * SECOND);
        // The state at registration is not a message of the trial. At renewal it is one if its
        // number is new and it is complete (a server that is sending another body could not serve
        // the remaining blocks of this one).
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

    /// Whether this token belongs to an unanswered registration.
    fn registers(&self, token: u32) -> bool {
        token == self.token && self.registration == Registration::Pending
    }

    fn gave_up(&mut self, token: u32, why: &str) {
        if token == self.token {
            self.registration = Registration::Failed(why.to_owned());
        } else if self.fetches.remove(&token).is_some() {
            self.abandoned += 1;
        }
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
