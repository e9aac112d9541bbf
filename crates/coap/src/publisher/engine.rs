//! The publisher's engine.

use std::net::SocketAddr;

use coap_lite::{MessageClass, MessageType};

use super::{Fate, Publisher};
use crate::io::{Datagrams, Engine};
use crate::message;
use crate::transmit_queue::Expired;

impl Engine for Publisher {
    fn receive(&mut self, now: i64, from: SocketAddr, datagram: &[u8]) {
        let Some(packet) = message::parse(datagram).filter(|_| from == self.to) else {
            return;
        };
        let id = packet.header.message_id;
        match (packet.header.get_type(), packet.header.code) {
            (MessageType::Acknowledgement, MessageClass::Empty) => {
                if let Some(token) = self.transmit_queue.settle(from, id) {
                    self.acknowledged_empty(now, token);
                }
            }
            (MessageType::Reset, _) => {
                self.reachable |= self.ping == Some(id);
                if let Some(token) = self.transmit_queue.settle(from, id) {
                    self.finish(token, Fate::Failed("reset by the server".into()));
                }
            }
            (_, MessageClass::Empty | MessageClass::Request(_)) => {}
            (MessageType::Acknowledgement, _) => {
                if self.transmit_queue.holds(from, id) {
                    self.respond(now, &packet);
                }
            }
            (kind, _) => {
                if kind == MessageType::Confirmable {
                    self.out
                        .push((from, message::empty(MessageType::Acknowledgement, id)));
                }
                if self.dedup.check(now, from, id, datagram).is_none() {
                    self.respond(now, &packet);
                }
            }
        }
    }

    fn expire(&mut self, now: i64) {
        while let Some(expired) = self.transmit_queue.expired(now) {
            match expired {
                Expired::Again(to, bytes) => self.out.push((to, bytes)),
                Expired::GaveUp(token) if token == self.ping_token() => self.ping(now),
                Expired::GaveUp(token) => {
                    let copies = self.transmission.max_retransmit + 1;
                    self.finish(
                        token,
                        Fate::Failed(format!("no acknowledgement after {copies} transmissions")),
                    );
                }
            }
        }
        while let Some(&(_, token)) = self.waits.first().filter(|(until, _)| *until <= now) {
            self.finish(
                token,
                Fate::Failed(
                    "no answer to a block, or no response after an acknowledgement".into(),
                ),
            );
        }
    }

    fn deadline(&self) -> Option<i64> {
        let wait = self
            .waits
            .first()
            .map(|(until, _)| *until)
            .filter(|&until| until < i64::MAX);
        self.transmit_queue.deadline().into_iter().chain(wait).min()
    }

    fn outgoing(&mut self) -> &mut Datagrams {
        &mut self.out
    }
}
