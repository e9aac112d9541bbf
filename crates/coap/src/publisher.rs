//! The publisher: sends messages as POST or PUT requests, block-wise if they are larger than one
//! block. Also sends requests whose answers count.

mod engine;

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;

use coap_lite::{CoapOption, MessageType, Packet, RequestType, ResponseType};

use crate::block::Block;
use crate::dedup::Dedup;
use crate::io::Datagrams;
use crate::message::{self, Ids};
use crate::params::Transmission;
use crate::transmit_queue::TransmitQueue;

/// Maximum number of concurrent non-confirmable block-wise transfers. The Request-Tag distinguishes
/// them, so that one that lost a block does not delay later messages.
const NON_TRANSFERS: usize = 32;

/// The method of a request; the numbers are the codes of RFC 7252, section 12.1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Method {
    /// GET.
    Get = 1,
    /// POST, the default for updates.
    Post = 2,
    /// PUT.
    Put = 3,
    /// DELETE.
    Delete = 4,
}

impl Method {
    fn request(self) -> RequestType {
        match self {
            Self::Post => RequestType::Post,
            Self::Put => RequestType::Put,
            Self::Get => RequestType::Get,
            Self::Delete => RequestType::Delete,
        }
    }
}

/// Outcome of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// The server confirmed it.
    Acknowledged,
    /// Refused or given up, with the reason.
    Failed(String),
}

/// Sends messages to one resource of one server.
pub struct Publisher {
    to: SocketAddr,
    path: Vec<Vec<u8>>,
    method: Method,
    transmission: Transmission,
    ids: Ids,
    transmit_queue: TransmitQueue<u32>,
    dedup: Dedup,
    /// Token of the message with ticket 0; tokens follow tickets.
    first_token: u32,
    transfers: HashMap<u32, Transfer>,
    waits: BTreeSet<(i64, u32)>,
    /// Message ID of a ping in flight, and whether a ping was answered.
    ping: Option<u16>,
    reachable: bool,
    fates: Vec<(u64, Fate)>,
    out: Datagrams,
}

struct Transfer {
    ticket: u64,
    confirmable: bool,
    body: Vec<u8>,
    block: Block,
    id: u16,
    wait_until: i64,
    /// Method and path of a request whose answer ends the exchange.
    asked: Option<(Method, Vec<Vec<u8>>)>,
}

impl Transfer {
    fn is_blockwise(&self) -> bool {
        self.block.more || self.block.num > 0
    }
}

impl Publisher {
    /// A publisher to the path `topic`. `rng` determines first IDs and timeouts.
    pub fn new(
        to: SocketAddr,
        topic: &str,
        method: Method,
        transmission: Transmission,
        mut rng: fastrand::Rng,
    ) -> Self {
        Self {
            to,
            path: message::segments(topic),
            method,
            transmission,
            ids: Ids::new(rng.u16(..)),
            first_token: rng.u32(..),
            transmit_queue: TransmitQueue::new(transmission, rng),
            dedup: Dedup::new(transmission.exchange_lifetime()),
            transfers: HashMap::new(),
            waits: BTreeSet::new(),
            ping: None,
            reachable: false,
            fates: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Sends a ping: an empty confirmable message, which is answered by a reset (RFC 7252, section
    /// 4.3). If it is given up, it is sent again: the caller decides when to stop.
    pub fn ping(&mut self, now: i64) {
        let id = self.ids.next(|id| self.transmit_queue.holds(self.to, id));
        let bytes = message::empty(MessageType::Confirmable, id);
        self.out.push((self.to, bytes.clone()));
        self.transmit_queue
            .keep(now, self.to, id, bytes, self.ping_token());
        self.ping = Some(id);
    }

    /// The key of a ping in the transmit queue; not the token of any message.
    fn ping_token(&self) -> u32 {
        self.first_token.wrapping_sub(1)
    }

    /// Whether the server has answered a ping.
    pub fn is_reachable(&self) -> bool {
        self.reachable
    }

    /// Whether a message of this length may be published now. Limits: NSTART confirmable exchanges,
    /// or 32 non-confirmable block-wise transfers. A non-confirmable message of one block never
    /// waits.
    pub fn is_free(&self, confirmable: bool, length: usize) -> bool {
        let limit = if confirmable {
            self.transmission.nstart
        } else {
            NON_TRANSFERS
        };
        self.transfers.len() < limit || !confirmable && length <= self.transmission.piece(length)
    }

    /// Whether no exchange is in progress.
    pub fn is_idle(&self) -> bool {
        self.transfers.is_empty()
    }

    /// Sends a message; its outcome is reported under `ticket`. Tickets count from 0.
    pub fn publish(&mut self, now: i64, ticket: u64, body: &[u8], confirmable: bool) {
        self.begin(now, ticket, body, confirmable, None);
    }

    /// Sends a request for `target` below the path. Any answer except 5.xx counts as an
    /// acknowledgement of the ticket. The body is sent in one datagram.
    pub fn ask(
        &mut self,
        now: i64,
        ticket: u64,
        method: Method,
        target: &str,
        body: &[u8],
        confirmable: bool,
    ) {
        let asked = Some((method, message::segments(target)));
        self.begin(now, ticket, body, confirmable, asked);
    }

    fn begin(
        &mut self,
        now: i64,
        ticket: u64,
        body: &[u8],
        confirmable: bool,
        asked: Option<(Method, Vec<Vec<u8>>)>,
    ) {
        let block = Block::at(0, self.transmission.piece(body.len()), body.len());
        let token = self.first_token.wrapping_add(ticket as u32);
        let transfer = Transfer {
            ticket,
            confirmable,
            body: body.to_vec(),
            block,
            id: 0,
            wait_until: i64::MAX,
            asked,
        };
        self.transfers.insert(token, transfer);
        self.send_block(now, token);
    }

    /// The outcomes since the last call.
    pub fn take_fates(&mut self) -> Vec<(u64, Fate)> {
        std::mem::take(&mut self.fates)
    }

    fn send_block(&mut self, now: i64, token: u32) {
        let Some(mut transfer) = self.transfers.remove(&token) else {
            return;
        };
        self.waits.remove(&(transfer.wait_until, token));
        let id = self.ids.next(|id| self.transmit_queue.holds(self.to, id));
        let packet = self.request(&transfer, id, token);
        let bytes = message::bytes(&packet);
        self.out.push((self.to, bytes.clone()));
        if transfer.confirmable {
            self.transmit_queue.keep(now, self.to, id, bytes, token);
        } else if !transfer.block.more && transfer.asked.is_none() {
            return; // Every byte has been sent, and there is no outcome.
        }
        transfer.id = id;
        transfer.wait_until = if transfer.confirmable {
            i64::MAX
        } else {
            now + self.transmission.non_timeout
        };
        self.waits.insert((transfer.wait_until, token));
        self.transfers.insert(token, transfer);
    }

    fn request(&self, transfer: &Transfer, id: u16, token: u32) -> Packet {
        let (method, below) = match &transfer.asked {
            Some((method, below)) => (*method, &below[..]),
            None => (self.method, &[][..]),
        };
        let path: Vec<_> = self.path.iter().chain(below).cloned().collect();
        let mut packet = message::request(transfer.confirmable, method.request(), id, token, &path);
        if transfer.is_blockwise() {
            packet.add_option(CoapOption::Block1, transfer.block.encode());
            if transfer.block.num == 0 {
                message::add_number(&mut packet, CoapOption::Size1, transfer.body.len() as u32);
            }
            if !transfer.confirmable || self.transmission.nstart > 1 {
                packet.add_option(
                    message::REQUEST_TAG,
                    (transfer.ticket as u16).to_be_bytes().to_vec(),
                );
            }
        }
        packet.payload = transfer.block.slice(&transfer.body).to_vec();
        packet
    }

    fn respond(&mut self, now: i64, packet: &Packet) {
        let Some(token) = message::token(packet) else {
            return;
        };
        let Some(transfer) = self.transfers.get_mut(&token) else {
            return self.refused_late(token, packet);
        };
        let block = message::block(packet, CoapOption::Block1).ok().flatten();
        if block.is_some_and(|block| block.num != transfer.block.num && transfer.is_blockwise()) {
            return; // The late answer to an earlier block.
        }
        // A response before the acknowledgement implies it (RFC 7252, section 5.2.2).
        self.transmit_queue.settle(self.to, transfer.id);
        if message::is(packet, ResponseType::Continue) && transfer.block.more {
            let offset = transfer.block.offset() + transfer.block.size;
            let size = block.map_or(transfer.block.size, |block| {
                block.size.min(transfer.block.size)
            });
            transfer.block = Block::at(offset, size, transfer.body.len());
            return self.send_block(now, token);
        }
        let class = message::class(packet.header.code);
        let asks = transfer.asked.is_some();
        let done = (class == 2 || asks && class == 4) && !transfer.block.more;
        let ends = transfer.confirmable || asks;
        match (done, ends) {
            (true, true) => self.finish(token, Fate::Acknowledged),
            (true, false) => {}
            (false, _) => self.finish(token, Fate::Failed(refusal(packet))),
        }
    }

    /// After its last block, a non-confirmable message has no transfer; the server may still refuse
    /// it.
    fn refused_late(&mut self, token: u32, packet: &Packet) {
        let ticket = u64::from(token.wrapping_sub(self.first_token));
        if message::class(packet.header.code) >= 4
            && packet.header.get_type() == MessageType::NonConfirmable
        {
            self.fates.push((ticket, Fate::Failed(refusal(packet))));
        }
    }

    fn acknowledged_empty(&mut self, now: i64, token: u32) {
        // The response comes separately; RFC 7252 does not limit how long that may take.
        if let Some(transfer) = self.transfers.get_mut(&token) {
            self.waits.remove(&(transfer.wait_until, token));
            transfer.wait_until = now + self.transmission.max_transmit_wait();
            self.waits.insert((transfer.wait_until, token));
        }
    }

    fn finish(&mut self, token: u32, fate: Fate) {
        if let Some(transfer) = self.transfers.remove(&token) {
            self.waits.remove(&(transfer.wait_until, token));
            self.transmit_queue.settle(self.to, transfer.id);
            self.fates.push((transfer.ticket, fate));
        }
    }
}

fn refusal(packet: &Packet) -> String {
    let code = message::code_text(packet.header.code);
    format!(
        "the server answered {code} {}",
        String::from_utf8_lossy(&packet.payload)
    )
    .trim_end()
    .to_owned()
}
