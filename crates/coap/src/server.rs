//! A server on which every path is an observable resource. Each observer is notified of each
//! update.

mod engine;
mod notify;

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;

use coap_lite::{CoapOption, MessageClass, MessageType, Packet, RequestType, ResponseType};

use crate::assembly::Assemblies;
use crate::block::{Block, LARGEST};
use crate::dedup::Dedup;
use crate::io::Datagrams;
use crate::message::{self, Ids};
use crate::observation::{Observation, Update};
use crate::params::Transmission;
use crate::transmit_queue::TransmitQueue;

/// Limits of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes of one representation.
    pub max_body: usize,
    /// Maximum updates queued for one observer; further ones are dropped and counted.
    pub queue_updates: usize,
    /// Maximum bytes queued for one observer.
    pub queue_bytes: usize,
    /// Maximum number of observers; further ones get a response without the Observe option.
    pub observers: usize,
    /// Maximum number of resources; updates of further paths are answered with 5.03.
    pub resources: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_body: 16 << 20,
            queue_updates: 100_000,
            queue_bytes: 256 << 20,
            observers: 10_000,
            resources: 10_000,
        }
    }
}

/// Counters of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerCounts {
    /// Updates accepted.
    pub updates: u64,
    /// Notifications sent, without retransmissions.
    pub notifications: u64,
    /// Notifications dropped because an observer's queue was full.
    pub dropped: u64,
    /// Duplicate requests and retransmitted notifications.
    pub duplicates: u64,
    /// Observers removed because they did not acknowledge.
    pub lost_observers: u64,
    /// Notifications whose later blocks the observer stopped fetching.
    pub abandoned: u64,
}

struct Resource {
    state: Arc<Update>,
    observers: Vec<u64>,
}

/// The server.
pub struct Server {
    transmission: Transmission,
    limits: Limits,
    ids: Ids,
    transmit_queue: TransmitQueue<u64>,
    dedup: Dedup,
    assemblies: Assemblies,
    swept_at: i64,
    resources: HashMap<Vec<Vec<u8>>, Resource>,
    observations: HashMap<u64, Observation>,
    next_relation: u64,
    handovers: BTreeSet<(i64, u64)>,
    counts: ServerCounts,
    out: Datagrams,
}

impl Server {
    /// A server without resources. `rng` determines the first message ID and timeouts.
    pub fn new(transmission: Transmission, limits: Limits, mut rng: fastrand::Rng) -> Self {
        Self {
            transmission,
            limits,
            ids: Ids::new(rng.u16(..)),
            transmit_queue: TransmitQueue::new(transmission, rng),
            dedup: Dedup::new(transmission.exchange_lifetime()),
            assemblies: Assemblies::default(),
            swept_at: 0,
            resources: HashMap::new(),
            observations: HashMap::new(),
            next_relation: 0,
            handovers: BTreeSet::new(),
            counts: ServerCounts::default(),
            out: Vec::new(),
        }
    }

    /// The current counters.
    pub fn counts(&self) -> ServerCounts {
        self.counts
    }

    fn request(&mut self, now: i64, from: SocketAddr, packet: &Packet, method: RequestType) {
        let path: Vec<Vec<u8>> = packet
            .get_option(CoapOption::UriPath)
            .map(|segments| segments.iter().cloned().collect())
            .unwrap_or_default();
        match method {
            _ if !understood(packet) => self.answer(from, packet, ResponseType::BadOption, |_| {}),
            RequestType::Post | RequestType::Put => self.update(now, from, packet, path),
            RequestType::Get => self.get(now, from, packet, path),
            _ => self.answer(from, packet, ResponseType::MethodNotAllowed, |_| {}),
        }
    }

    fn update(&mut self, now: i64, from: SocketAddr, packet: &Packet, path: Vec<Vec<u8>>) {
        let Ok(block) = message::block(packet, CoapOption::Block1) else {
            return self.answer(from, packet, ResponseType::BadOption, |_| {});
        };
        if !self.resources.contains_key(&path) && self.resources.len() >= self.limits.resources {
            return self.answer(from, packet, ResponseType::ServiceUnavailable, |_| {});
        }
        let body = match block {
            None if packet.payload.len() > self.limits.max_body => {
                Err(ResponseType::RequestEntityTooLarge)
            }
            None => Ok(packet.payload.clone()),
            Some(block) => {
                let tag = packet
                    .get_first_option(message::REQUEST_TAG)
                    .cloned()
                    .unwrap_or_default();
                self.assemblies.add(
                    now,
                    (from, path.clone(), tag),
                    block,
                    &packet.payload,
                    self.limits.max_body,
                )
            }
        };
        let (code, max_body) = (
            *body.as_ref().err().unwrap_or(&ResponseType::Changed),
            self.limits.max_body,
        );
        let own_size = self.transmission.block_size;
        self.answer(from, packet, code, |response| {
            if let Some(block) = block {
                let size = if block.num == 0 && block.more {
                    block.size.min(own_size)
                } else {
                    block.size
                };
                response.add_option(CoapOption::Block1, Block { size, ..block }.encode());
            }
            if code == ResponseType::RequestEntityTooLarge {
                message::add_number(
                    response,
                    CoapOption::Size1,
                    u32::try_from(max_body).unwrap_or(u32::MAX),
                );
            }
        });
        if let Ok(body) = body {
            let confirmable = packet.header.get_type() == MessageType::Confirmable;
            let whole = block.is_none() && body.len() > LARGEST;
            self.updated(now, path, body, confirmable, whole);
        }
    }

    fn get(&mut self, now: i64, from: SocketAddr, packet: &Packet, path: Vec<Vec<u8>>) {
        let Ok(asked) = message::block(packet, CoapOption::Block2) else {
            return self.answer(from, packet, ResponseType::BadOption, |_| {});
        };
        let observes = message::number(packet, CoapOption::Observe);
        let registered = match observes {
            Some(0) => self.register(now, from, packet.get_token(), &path, asked),
            Some(1) => self.deregister(from, packet.get_token(), &path),
            _ => false,
        };
        let size = asked.map_or(self.transmission.block_size, |block| {
            block.size.min(self.transmission.block_size)
        });
        let offset = asked.map_or(0, Block::offset);
        let fetcher = if offset > 0 {
            self.fetcher(from, &path, asked)
        } else {
            None
        };
        let state = fetcher.and_then(|id| {
            self.observations[&id]
                .handover
                .as_ref()
                .map(|handover| Arc::clone(&handover.update))
        });
        let Some(state) = state.or_else(|| {
            self.resources
                .get(&path)
                .map(|resource| Arc::clone(&resource.state))
        }) else {
            return self.answer(from, packet, ResponseType::NotFound, |_| {});
        };
        let block = Block::at(offset, size, state.body.len());
        if offset > 0 && offset >= state.body.len() {
            return self.answer(from, packet, ResponseType::BadRequest, |_| {});
        }
        self.answer(from, packet, ResponseType::Content, |response| {
            if registered {
                message::add_number(response, CoapOption::Observe, state.sequence);
            }
            fill(response, &state, block);
        });
        if let Some(id) = fetcher {
            self.fetched(now, id, block);
        }
    }

    /// Answers a request: with the acknowledgement if it is confirmable, otherwise non-confirmable.
    fn answer(
        &mut self,
        to: SocketAddr,
        request: &Packet,
        code: ResponseType,
        fill: impl FnOnce(&mut Packet),
    ) {
        let asked = request.header.message_id;
        let (kind, id) = match request.header.get_type() {
            MessageType::Confirmable => (MessageType::Acknowledgement, asked),
            _ => (
                MessageType::NonConfirmable,
                self.ids.next(|id| self.transmit_queue.holds(to, id)),
            ),
        };
        let mut response =
            message::message(kind, MessageClass::Response(code), id, request.get_token());
        fill(&mut response);
        let bytes = message::bytes(&response);
        self.dedup.answered(to, asked, &bytes);
        self.out.push((to, bytes));
    }
}

/// Puts a block of a representation into a response; with block options only if there are several
/// blocks.
fn fill(response: &mut Packet, state: &Update, block: Block) {
    if block.more || block.num > 0 {
        response.add_option(CoapOption::ETag, state.sequence.to_be_bytes()[1..].to_vec());
        response.add_option(CoapOption::Block2, block.encode());
        if block.num == 0 {
            message::add_number(response, CoapOption::Size2, state.body.len() as u32);
        }
    }
    response.payload = block.slice(&state.body).to_vec();
}

/// Whether the server supports every critical option of a request (RFC 7252, section 5.4.1).
fn understood(packet: &Packet) -> bool {
    const KNOWN: [u16; 7] = [3, 7, 11, 15, 17, 23, 27]; // Uri-Host, -Port, -Path, -Query, Accept, Block2, Block1
    packet
        .options()
        .all(|(number, _)| number % 2 == 0 || KNOWN.contains(number))
}
