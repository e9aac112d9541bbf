//! A server whose caller provides the answers.

use std::net::SocketAddr;

use coap_lite::{CoapOption, MessageClass, MessageType, Packet, RequestType, ResponseType};

use crate::dedup::Dedup;
use crate::io::{Datagrams, Engine};
use crate::message::{self, Ids};
use crate::params::Transmission;
use crate::publisher::Method;

/// A request that has not been answered yet.
pub struct PendingRequest {
    from: SocketAddr,
    packet: Packet,
    method: Method,
    /// The path below that of the responder.
    pub target: String,
}

impl PendingRequest {
    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The body.
    pub fn body(&self) -> &[u8] {
        &self.packet.payload
    }
}

/// Accepts requests for one path and the paths below it. Each answer is one datagram.
pub struct Responder {
    path: Vec<Vec<u8>>,
    ids: Ids,
    dedup: Dedup,
    asked: Vec<PendingRequest>,
    out: Datagrams,
}

impl Responder {
    /// A responder for the path `topic`. `rng` determines the first message ID.
    pub fn new(topic: &str, transmission: Transmission, mut rng: fastrand::Rng) -> Self {
        Self {
            path: message::segments(topic),
            ids: Ids::new(rng.u16(..)),
            dedup: Dedup::new(transmission.exchange_lifetime()),
            asked: Vec::new(),
            out: Vec::new(),
        }
    }

    /// The requests since the last call, without duplicates.
    pub fn take_requests(&mut self) -> Vec<PendingRequest> {
        std::mem::take(&mut self.asked)
    }

    /// Answers a request: 2.xx according to its method, or 4.09 if it failed.
    pub fn respond(&mut self, asked: &PendingRequest, done: bool, body: Vec<u8>) {
        let code = match (done, asked.method) {
            (false, _) => ResponseType::Conflict,
            (true, Method::Get) => ResponseType::Content,
            (true, Method::Delete) => ResponseType::Deleted,
            (true, Method::Post | Method::Put) => ResponseType::Changed,
        };
        self.answer(asked.from, &asked.packet, code, body);
    }

    fn answer(&mut self, to: SocketAddr, request: &Packet, code: ResponseType, body: Vec<u8>) {
        let asked = request.header.message_id;
        let (kind, id) = match request.header.get_type() {
            MessageType::Confirmable => (MessageType::Acknowledgement, asked),
            _ => (MessageType::NonConfirmable, self.ids.next(|_| false)),
        };
        let code = MessageClass::Response(code);
        let mut response = message::message(kind, code, id, request.get_token());
        response.payload = body;
        let bytes = message::bytes(&response);
        self.dedup.answered(to, asked, &bytes);
        self.out.push((to, bytes));
    }

    fn request(&mut self, from: SocketAddr, packet: Packet, method: RequestType) {
        let method = match method {
            RequestType::Get => Method::Get,
            RequestType::Put => Method::Put,
            RequestType::Post => Method::Post,
            RequestType::Delete => Method::Delete,
            _ => return self.answer(from, &packet, ResponseType::MethodNotAllowed, Vec::new()),
        };
        match below(&packet, &self.path) {
            Some(target) => self.asked.push(PendingRequest {
                from,
                packet,
                method,
                target,
            }),
            None => self.answer(from, &packet, ResponseType::NotFound, Vec::new()),
        }
    }
}

/// The part of a request's path below `path`; `None` if the path is elsewhere.
fn below(packet: &Packet, path: &[Vec<u8>]) -> Option<String> {
    let asked: Vec<_> = packet
        .get_option(CoapOption::UriPath)
        .into_iter()
        .flatten()
        .collect();
    let (front, rest) = asked.split_at_checked(path.len())?;
    let inside = front.iter().copied().eq(path);
    let rest: Option<Vec<&str>> = rest
        .iter()
        .map(|segment| std::str::from_utf8(segment).ok())
        .collect();
    rest.filter(|_| inside).map(|segments| segments.join("/"))
}

impl Engine for Responder {
    fn receive(&mut self, now: i64, from: SocketAddr, datagram: &[u8]) {
        let Some(packet) = message::parse(datagram) else {
            return;
        };
        let (kind, id) = (packet.header.get_type(), packet.header.message_id);
        match (kind, packet.header.code) {
            (
                MessageType::Confirmable | MessageType::NonConfirmable,
                MessageClass::Request(method),
            ) => match self.dedup.check(now, from, id, datagram) {
                Some(reply) => {
                    let again = reply.map(|reply| (from, reply.to_vec()));
                    self.out.extend(again);
                }
                None => self.request(from, packet, method),
            },
            // A ping, or an unexpected response (RFC 7252, sections 4.3 and 4.2).
            (MessageType::Confirmable, _) => self
                .out
                .push((from, message::empty(MessageType::Reset, id))),
            _ => {}
        }
    }

    fn expire(&mut self, _now: i64) {}

    fn deadline(&self) -> Option<i64> {
        None
    }

    fn outgoing(&mut self) -> &mut Datagrams {
        &mut self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publisher::{Fate, Publisher};

    fn there() -> SocketAddr {
        "127.0.0.1:5683".parse().unwrap()
    }

    fn both() -> (Publisher, Responder) {
        let (to, rng) = (there(), fastrand::Rng::with_seed(3));
        let transmission = Transmission::default();
        (
            Publisher::new(to, "w/t", Method::Post, transmission, rng.clone()),
            Responder::new("w/t", transmission, rng),
        )
    }

    /// Moves the outgoing datagrams of one side to the other; returns them.
    fn carry(from: &mut impl Engine, to: &mut impl Engine) -> Vec<Vec<u8>> {
        let sent = std::mem::take(from.outgoing());
        for (_, datagram) in &sent {
            to.receive(0, there(), datagram);
        }
        sent.into_iter().map(|(_, datagram)| datagram).collect()
    }

    #[test]
    fn a_get_is_answered_on_its_acknowledgement_and_a_copy_gets_the_same_answer() {
        let (mut asking, mut answering) = both();
        asking.ask(0, 0, Method::Get, "17", b"", true);
        let request = carry(&mut asking, &mut answering).remove(0);
        assert_eq!(
            (request[0], request[1], &request[8..]),
            (0x44, 1, &b"\xb1w\x01t\x0217"[..]),
            "CON, GET, Uri-Path w/t/17"
        );
        let asked = answering.take_requests().remove(0);
        assert_eq!((asked.method(), asked.target.as_str()), (Method::Get, "17"));
        answering.respond(&asked, true, b"5".to_vec());
        let response = carry(&mut answering, &mut asking).remove(0);
        assert_eq!(
            (response[0], response[1], &response[8..]),
            (0x64, 0x45, &b"\xff5"[..]),
            "ACK, 2.05"
        );
        assert_eq!(asking.take_fates(), [(0, Fate::Acknowledged)]);
        answering.receive(0, there(), &request);
        assert!(answering.take_requests().is_empty());
        assert_eq!(answering.outgoing()[0].1, response);
    }

    #[test]
    fn a_non_request_waits_for_its_answer_and_fails_without_one() {
        let (mut asking, mut answering) = both();
        asking.ask(0, 0, Method::Put, "1", b"42", false);
        asking.ask(0, 1, Method::Delete, "2", b"", false);
        assert!(asking.take_fates().is_empty());
        carry(&mut asking, &mut answering);
        let asked = answering.take_requests();
        assert_eq!(asked[0].body(), b"42");
        answering.respond(&asked[0], true, Vec::new());
        let response = carry(&mut answering, &mut asking).remove(0);
        assert_eq!((response[0], response[1]), (0x54, 0x44), "NON, 2.04");
        asking.expire(4_000_000_000);
        let fates = asking.take_fates();
        assert_eq!(fates[0], (0, Fate::Acknowledged));
        assert!(matches!(&fates[1], (1, Fate::Failed(_))));
    }

    #[test]
    fn what_could_not_be_done_is_an_answer_as_well() {
        let (mut asking, mut answering) = both();
        asking.ask(0, 0, Method::Delete, "9", b"", true);
        carry(&mut asking, &mut answering);
        let asked = answering.take_requests().remove(0);
        answering.respond(&asked, false, b"not here".to_vec());
        let response = carry(&mut answering, &mut asking).remove(0);
        assert_eq!(response[1], 0x89, "4.09");
        assert_eq!(asking.take_fates(), [(0, Fate::Acknowledged)]);
    }

    #[test]
    fn a_request_for_another_path_is_refused() {
        let (_, mut answering) = both();
        let rng = fastrand::Rng::with_seed(4);
        let mut lost = Publisher::new(there(), "w/x", Method::Post, Transmission::default(), rng);
        lost.ask(0, 0, Method::Get, "1", b"", true);
        carry(&mut lost, &mut answering);
        assert!(answering.take_requests().is_empty());
        assert_eq!(answering.outgoing()[0].1[1], 0x84, "4.04");
    }
}
