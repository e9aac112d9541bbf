//! Notifications of several blocks: the server sends the first, the observer fetches the rest.

use coap_lite::{CoapOption, MessageType, Packet, RequestType};

use super::Observer;
use crate::block::Block;
use crate::message;

/// Maximum size of a fetched body.
const MAX_BODY: usize = 64 << 20;
/// Maximum number of concurrent fetches; beyond that the oldest is abandoned.
const MAX_FETCHES: usize = 64;

/// A body being fetched.
pub(super) struct Fetch {
    body: Vec<u8>,
    etag: Option<Vec<u8>>,
    confirmable: bool,
    wanted: Block,
    pub(super) id: u16,
    pub(super) wait_until: i64,
}

impl Observer {
    /// Handles a notification: a complete message, or its first block.
    pub(super) fn take(&mut self, now: i64, packet: &Packet) {
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

    /// Requests the next block with a GET under its own token (RFC 7959, section 2.6).
    fn ask(&mut self, now: i64, token: u32, mut fetch: Fetch) {
        fetch.id = self.ids.next(|id| self.transmit_queue.holds(self.to, id));
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

    /// Handles a later block.
    pub(super) fn fetched(&mut self, now: i64, token: u32, packet: &Packet) {
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
        self.transmit_queue.settle(self.to, fetch.id);
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

    fn bound_fetches(&mut self) {
        if self.fetches.len() >= MAX_FETCHES {
            let oldest = self
                .fetches
                .iter()
                .min_by_key(|(_, fetch)| fetch.wait_until)
                .map(|(token, _)| *token);
            if let Some(fetch) = oldest.and_then(|token| self.fetches.remove(&token)) {
                self.transmit_queue.settle(self.to, fetch.id);
                self.abandoned += 1;
            }
        }
    }
}
