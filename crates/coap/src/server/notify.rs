//! Observers: registration, notification, and block-wise transfer of large bodies.

use std::net::SocketAddr;
use std::sync::Arc;

use coap_lite::{CoapOption, MessageClass, ResponseType};

use super::{Resource, Server, fill};
use crate::block::Block;
use crate::message;
use crate::observation::{Handover, Observation, Update};
use crate::params::SECOND;

/// After this long without a confirmable notification the next one is confirmable (RFC 7641,
/// section 4.5).
const CONFIRM_EVERY: i64 = 24 * 3600 * SECOND;
/// Observe values have 24 bits.
const SEQUENCE_MASK: u32 = (1 << 24) - 1;

impl Server {
    /// Registers an observer. Returns false if the limit is reached.
    pub(super) fn register(
        &mut self,
        now: i64,
        from: SocketAddr,
        token: &[u8],
        path: &[Vec<u8>],
        asked: Option<Block>,
    ) -> bool {
        let block_size = asked.map_or(self.transmission.block_size, |block| {
            block.size.min(self.transmission.block_size)
        });
        if self.observation(from, token, path).is_some() {
            return true; // Renewed: queued and unacknowledged updates stay.
        }
        let known = self.resources.contains_key(path);
        if self.observations.len() >= self.limits.observers
            || !known && self.resources.len() >= self.limits.resources
        {
            return false;
        }
        let id = self.next_relation;
        self.next_relation += 1;
        self.observations.insert(
            id,
            Observation::new(now, from, token.to_vec(), path.to_vec(), block_size),
        );
        self.resource(path.to_vec()).observers.push(id);
        true
    }

    /// Deregisters an observer. Always returns false: the answer is not a notification.
    pub(super) fn deregister(&mut self, from: SocketAddr, token: &[u8], path: &[Vec<u8>]) -> bool {
        if let Some(id) = self.observation(from, token, path) {
            self.remove(id);
        }
        false
    }

    /// Notifies every observer of a new state of a resource.
    pub(super) fn updated(
        &mut self,
        now: i64,
        path: Vec<Vec<u8>>,
        body: Vec<u8>,
        confirmable: bool,
        whole: bool,
    ) {
        self.counts.updates += 1;
        let (max_updates, max_bytes) = (self.limits.queue_updates, self.limits.queue_bytes);
        let resource = self.resource(path);
        let sequence = (resource.state.sequence + 1) & SEQUENCE_MASK;
        resource.state = Arc::new(Update {
            sequence,
            body,
            confirmable,
            whole,
        });
        let (state, observers) = (Arc::clone(&resource.state), resource.observers.clone());
        for id in observers {
            let Some(observation) = self.observations.get_mut(&id) else {
                continue;
            };
            if observation.queue(&state, max_updates, max_bytes) {
                self.pump(now, id);
            } else {
                self.counts.dropped += 1;
            }
        }
    }

    /// Sends an observer the updates that may be sent now.
    pub(super) fn pump(&mut self, now: i64, id: u64) {
        while let Some(observation) = self.observations.get_mut(&id) {
            let Some(update) = observation.next(self.transmission.nstart) else {
                return;
            };
            let confirmable = update.confirmable || now - observation.confirmed_at >= CONFIRM_EVERY;
            let message_id = self
                .ids
                .next(|id| self.transmit_queue.holds(observation.to, id));
            let content = MessageClass::Response(ResponseType::Content);
            let mut packet = message::message(
                message::kind(confirmable),
                content,
                message_id,
                &observation.token,
            );
            message::add_number(&mut packet, CoapOption::Observe, update.sequence);
            let block = Block::at(0, observation.piece(&update), update.body.len());
            fill(&mut packet, &update, block);
            let (to, bytes) = (observation.to, message::bytes(&packet));
            self.counts.notifications += 1;
            self.out.push((to, bytes.clone()));
            if confirmable {
                observation.confirmed_at = now;
                observation.unacknowledged.push(message_id);
                self.transmit_queue.keep(now, to, message_id, bytes, id);
            } else {
                observation.sent_non(message_id);
            }
            if block.more {
                observation.handover = Some(Handover {
                    update,
                    until: i64::MAX,
                });
                self.extend_handover(now, id);
            }
        }
    }

    pub(super) fn acknowledged(&mut self, now: i64, from: SocketAddr, message_id: u16) {
        let Some(id) = self.transmit_queue.settle(from, message_id) else {
            return;
        };
        if let Some(observation) = self.observations.get_mut(&id) {
            observation
                .unacknowledged
                .retain(|&other| other != message_id);
        }
        self.extend_handover(now, id);
        self.pump(now, id);
    }

    /// A reset of a notification ends the observation (RFC 7641, section 3.6).
    pub(super) fn rejected(&mut self, from: SocketAddr, message_id: u16) {
        let rejecting = |observation: &Observation| observation.is_rejected_by(from, message_id);
        let ids: Vec<u64> = self
            .observations
            .iter()
            .filter(|(_, observation)| rejecting(observation))
            .map(|(id, _)| *id)
            .collect();
        ids.into_iter().for_each(|id| self.remove(id));
    }

    /// The observer that requests this later block of a notification.
    pub(super) fn fetcher(
        &self,
        from: SocketAddr,
        path: &[Vec<u8>],
        asked: Option<Block>,
    ) -> Option<u64> {
        let asked = asked?;
        let observers = &self.resources.get(path)?.observers;
        observers.iter().copied().find(|id| {
            self.observations.get(id).is_some_and(|observation| {
                observation.to == from && observation.fetching(asked).is_some()
            })
        })
    }

    /// A later block was sent to an observer; after the last one the next update may be sent.
    pub(super) fn fetched(&mut self, now: i64, id: u64, block: Block) {
        if block.more {
            self.extend_handover(now, id);
        } else {
            self.end_handover(now, id);
        }
    }

    pub(super) fn end_handover(&mut self, now: i64, id: u64) {
        if let Some(handover) = self
            .observations
            .get_mut(&id)
            .and_then(|observation| observation.handover.take())
        {
            self.handovers.remove(&(handover.until, id));
        }
        self.pump(now, id);
    }

    pub(super) fn remove(&mut self, id: u64) {
        let Some(observation) = self.observations.remove(&id) else {
            return;
        };
        for message_id in observation.unacknowledged {
            self.transmit_queue.settle(observation.to, message_id);
        }
        if let Some(handover) = observation.handover {
            self.handovers.remove(&(handover.until, id));
        }
        if let Some(resource) = self.resources.get_mut(&observation.path) {
            resource.observers.retain(|&other| other != id);
        }
    }

    fn extend_handover(&mut self, now: i64, id: u64) {
        let wait = |confirmable| {
            if confirmable {
                self.transmission.max_transmit_wait()
            } else {
                self.transmission.non_timeout
            }
        };
        if let Some(handover) = self
            .observations
            .get_mut(&id)
            .and_then(|observation| observation.handover.as_mut())
        {
            self.handovers.remove(&(handover.until, id));
            handover.until = now + wait(handover.update.confirmable);
            self.handovers.insert((handover.until, id));
        }
    }

    fn observation(&self, from: SocketAddr, token: &[u8], path: &[Vec<u8>]) -> Option<u64> {
        let observers = &self.resources.get(path)?.observers;
        let matches =
            |observation: &Observation| observation.to == from && observation.token == token;
        observers
            .iter()
            .copied()
            .find(|id| self.observations.get(id).is_some_and(matches))
    }

    fn resource(&mut self, path: Vec<Vec<u8>>) -> &mut Resource {
        self.resources.entry(path).or_insert_with(|| Resource {
            state: Arc::new(Update {
                sequence: 0,
                body: Vec::new(),
                confirmable: false,
                whole: false,
            }),
            observers: Vec::new(),
        })
    }
}
