//! The server's engine.

use std::net::SocketAddr;

use coap_lite::{MessageClass, MessageType};

use super::Server;
use crate::io::{Datagrams, Engine};
use crate::message;
use crate::transmit_queue::Expired;

impl Engine for Server {
    fn receive(&mut self, now: i64, from: SocketAddr, datagram: &[u8]) {
        let parsed = message::parse(datagram);
        let Some(packet) = parsed else { return };
        let id = packet.header.message_id;
        let confirmable = packet.header.get_type() == MessageType::Confirmable;
        match (packet.header.get_type(), packet.header.code) {
            (MessageType::Acknowledgement, MessageClass::Empty) => self.acknowledged(now, from, id),
            (MessageType::Reset, MessageClass::Empty) => self.rejected(from, id),
            (
                MessageType::Confirmable | MessageType::NonConfirmable,
                MessageClass::Request(method),
            ) => {
                if let Some(reply) = self.dedup.check(now, from, id, datagram) {
                    self.counts.duplicates += 1;
                    self.out.extend(reply.map(|reply| (from, reply.to_vec())));
                } else {
                    self.request(now, from, &packet, method);
                }
            }
            // A ping, or an unexpected response (RFC 7252, sections 4.3 and 4.2).
            _ if confirmable => self
                .out
                .push((from, message::empty(MessageType::Reset, id))),
            _ => {}
        }
    }

    fn expire(&mut self, now: i64) {
        while let Some(expired) = self.transmit_queue.expired(now) {
            match expired {
                Expired::Again(to, bytes) => {
                    self.counts.duplicates += 1;
                    self.out.push((to, bytes));
                }
                // RFC 7641, section 4.5: an observer that does not acknowledge has lost interest.
                Expired::GaveUp(id) => {
                    self.counts.lost_observers += 1;
                    self.remove(id);
                }
            }
        }
        while let Some(&(_, id)) = self.handovers.first().filter(|(until, _)| *until <= now) {
            self.counts.abandoned += 1;
            self.end_handover(now, id);
        }
        let lifetime = self.transmission.exchange_lifetime();
        if now - self.swept_at > lifetime {
            self.swept_at = now;
            self.assemblies.forget(now - lifetime);
        }
    }

    fn deadline(&self) -> Option<i64> {
        self.transmit_queue
            .deadline()
            .into_iter()
            .chain(self.handovers.first().map(|(until, _)| *until))
            .min()
    }

    fn outgoing(&mut self) -> &mut Datagrams {
        &mut self.out
    }
}
