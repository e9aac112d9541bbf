//! The server's state of one observer: a queue of updates, and the notifications in flight.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;

use crate::block::{Block, LARGEST};

/// Number of message IDs of non-confirmable notifications that are remembered to recognise a reset.
const REMEMBERED: usize = 64;

/// One state of a resource.
#[derive(Debug)]
pub(crate) struct Update {
    /// The Observe value: a 24-bit counter of updates.
    pub sequence: u32,
    /// The representation.
    pub body: Vec<u8>,
    /// Whether the update came in a confirmable request; if so its notifications are confirmable.
    pub confirmable: bool,
    /// Whether the update came in one datagram although it is larger than a block; if so its
    /// notifications do too.
    pub whole: bool,
}

/// A body whose later blocks the observer is fetching.
pub(crate) struct Handover {
    pub update: Arc<Update>,
    /// When the observer is assumed to have given up.
    pub until: i64,
}

/// An observer and its queue.
pub(crate) struct Observation {
    pub to: SocketAddr,
    pub token: Vec<u8>,
    pub path: Vec<Vec<u8>>,
    /// Block size of notifications: the smaller of the server's and the observer's.
    pub block_size: usize,
    /// When the last confirmable notification was sent.
    pub confirmed_at: i64,
    /// Message IDs of unacknowledged confirmable notifications.
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

    /// Queues an update. Returns false if the queue is full and the update is dropped.
    pub fn queue(&mut self, update: &Arc<Update>, max_updates: usize, max_bytes: usize) -> bool {
        if self.queue.len() >= max_updates || self.queued_bytes + update.body.len() > max_bytes {
            return false;
        }
        self.queued_bytes += update.body.len();
        self.queue.push_back(Arc::clone(update));
        true
    }

    /// The next update, if it may be sent now: not while the observer is fetching blocks, and not
    /// beyond NSTART confirmable notifications (RFC 7641, section 4.5.1).
    pub fn next(&mut self, nstart: usize) -> Option<Arc<Update>> {
        let front = self.queue.front()?;
        if self.handover.is_some() || front.confirmable && self.unacknowledged.len() >= nstart {
            return None;
        }
        self.queued_bytes -= front.body.len();
        self.queue.pop_front()
    }

    /// Maximum bytes of an update in one notification. An observer that requested smaller blocks
    /// gets those.
    pub fn piece(&self, update: &Update) -> usize {
        if update.whole && self.block_size == LARGEST {
            update.body.len()
        } else {
            self.block_size
        }
    }

    /// The body that the observer is fetching, if it contains this block.
    pub fn fetching(&self, block: Block) -> Option<&Arc<Update>> {
        self.handover
            .as_ref()
            .map(|handover| &handover.update)
            .filter(|update| block.offset() < update.body.len())
    }

    /// Remembers the ID of a non-confirmable notification.
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
