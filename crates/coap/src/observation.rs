//! One observer of a resource, as the server sees it: a queue of updates and what of it is on the way.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;

use crate::block::{Block, LARGEST};

/// Message IDs of non-confirmable notifications remembered, to recognise a reset.
const REMEMBERED: usize = 64;

/// One state of a resource.
#[derive(Debug)]
pub(crate) struct Update {
    /// The Observe value: one more for each update of the resource, 24 bits.
    pub sequence: u32,
    /// The representation.
    pub body: Vec<u8>,
    /// Whether the request that brought it was confirmable; its notifications then are too.
    pub confirmable: bool,
    /// Whether it came in one datagram though it is larger than a block; its notifications then do too.
    pub whole: bool,
}

/// A body whose later blocks the observer is fetching.
pub(crate) struct Handover {
    pub update: Arc<Update>,
    /// When the observer is taken to have given up.
    pub until: i64,
}

/// An observer and its queue.
pub(crate) struct Observation {
    pub to: SocketAddr,
    pub token: Vec<u8>,
    pub path: Vec<Vec<u8>>,
    /// The block size for notifications: the smaller of the server's and the one asked for.
    pub block_size: usize,
    /// When a confirmable notification last went out.
    pub confirmed_at: i64,
    /// Confirmable notifications without an acknowledgement, by message ID.
    pub unacknowledged: Vec<u16>,
    pub handover: Option<Handover>,
    queue: VecDeque<Arc<Update>>,
    queued_bytes: usize,
    non_ids: VecDeque<u16>,
}

impl Observation {
    pub fn new(
        now: i64,
        to: SocketAddr,
        token: Vec<u8>,
        path: Vec<Vec<u8>>,
        block_size: usize,
    ) -> Self {
        Self {
            to,
            token,
            path,
            block_size,
            confirmed_at: now,
            unacknowledged: Vec::new(),
            handover: None,
            queue: VecDeque::new(),
            queued_bytes: 0,
            non_ids: VecDeque::new(),
        }
    }

    /// Queues an update; `false` when the queue is full and the update is dropped.
    pub fn queue(&mut self, update: &Arc<Update>, max_updates: usize, max_bytes: usize) -> bool {
        if self.queue.len() >= max_updates || self.queued_bytes + update.body.len() > max_bytes {
            return false;
        }
        self.queued_bytes += update.body.len();
        self.queue.push_back(Arc::clone(update));
        true
    }

    /// The next update, if one may go out now: not while a body is being fetched in blocks, and not beyond NSTART
    /// confirmable ones (RFC 7641, section 4.5.1).
    pub fn next(&mut self, nstart: usize) -> Option<Arc<Update>> {
        let front = self.queue.front()?;
        if self.handover.is_some() || front.confirmable && self.unacknowledged.len() >= nstart {
            return None;
        }
        self.queued_bytes -= front.body.len();
        self.queue.pop_front()
    }

    /// The most bytes of an update that one notification carries: an observer that asked for smaller blocks gets those.
    pub fn piece(&self, update: &Update) -> usize {
        if update.whole && self.block_size == LARGEST {
            update.body.len()
        } else {
            self.block_size
        }
    }

    /// The body of which the observer fetches this block, if it is fetching one.
    pub fn fetching(&self, block: Block) -> Option<&Arc<Update>> {
        self.handover
            .as_ref()
            .map(|handover| &handover.update)
            .filter(|update| block.offset() < update.body.len())
    }

    /// Remembers a non-confirmable notification.
    pub fn sent_non(&mut self, id: u16) {
        if self.non_ids.len() == REMEMBERED {
            self.non_ids.pop_front();
        }
        self.non_ids.push_back(id);
    }

    /// Whether a reset of this message ID rejects one of this observer's notifications.
    pub fn is_rejected_by(&self, from: SocketAddr, id: u16) -> bool {
        self.to == from && (self.unacknowledged.contains(&id) || self.non_ids.contains(&id))
    }
}
