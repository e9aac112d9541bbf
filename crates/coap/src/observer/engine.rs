//! The observer's engine.

use std::net::SocketAddr;

use coap_lite::{MessageClass, MessageType};

use super::Observer;
use crate::io::{Datagrams, Engine};
use crate::message;
use crate::transmit_queue::Expired;

impl Engine for Observer {
    fn receive(&mut self, now: i64, from: SocketAddr, datagram: &[u8]) {
        let Some(packet) = message::parse(datagram).filter(|_| from == self.to) else {
            return;
        };
        let id = packet.header.message_id;
        match (packet.header.get_type(), packet.header.code) {
            // An empty acknowledgement announces a separate response.
            (MessageType::Acknowledgement, MessageClass::Empty) => {
                self.transmit_queue.settle(from, id);
            }
            (MessageType::Reset, _) => {
                if let Some(token) = self.transmit_queue.settle(from, id) {
                    self.gave_up(token, "reset by the server");
                }
            }
            (_, MessageClass::Empty | MessageClass::Request(_)) => {}
            (MessageType::Acknowledgement, _) => {
                if self.transmit_queue.settle(from, id).is_some() {
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
        while let Some(expired) = self.transmit_queue.expired(now) {
            match expired {
                Expired::Again(to, bytes) => self.out.push((to, bytes)),
                Expired::GaveUp(token) if self.registers(token) => self.register(now),
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
                self.transmit_queue.settle(self.to, fetch.id);
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
        self.transmit_queue
            .deadline()
            .into_iter()
            .chain(waits.filter(|&until| until < i64::MAX))
            .min()
    }

    fn outgoing(&mut self) -> &mut Datagrams {
        &mut self.out
    }
}
