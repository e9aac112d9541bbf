//! The responder: a CoAP server on libcoap.

use std::sync::atomic::Ordering;

use wirelab_coap::{Method, options, request};
use wirelab_peer::{Fault, ReceiveThread, Responder, Setup, Subscriber};

use crate::STOP_POLL;
use crate::listener::{Listener, ReceivedRequest, RequestHandler};

/// Response codes (RFC 7252, section 5.9).
const DELETED: u8 = 0x42;
const CHANGED: u8 = 0x44;
const CONTENT: u8 = 0x45;
const NOT_FOUND: u8 = 0x84;
const CONFLICT: u8 = 0x89;

/// Listens at the server's address and starts the thread that answers.
///
/// # Errors
/// A fatal fault that names the address or an option.
pub fn connect(setup: &Setup, responder: Responder) -> Result<Box<dyn Subscriber>, Fault> {
    let identity = options::identity(&setup.options)?;
    let topic = setup.topic.clone();
    let mut listener = Listener::open(setup.server(), identity, Answers { responder, topic })?;
    Ok(ReceiveThread::start(move |stop| {
        while !stop.load(Ordering::Acquire) {
            listener.process(STOP_POLL);
        }
    }))
}

struct Answers {
    responder: Responder,
    topic: String,
}

impl RequestHandler for Answers {
    fn answer(&mut self, asked: &ReceivedRequest) -> (u8, Vec<u8>) {
        let Some(target) = below(asked.path, &self.topic) else {
            return (NOT_FOUND, Vec::new());
        };
        // libcoap does not filter duplicate requests, so each is recorded and answered again.
        let answer = self
            .responder
            .answer(&request::message(asked.method, target, asked.body), false);
        let code = match (answer.done, asked.method) {
            (false, _) => CONFLICT,
            (true, Method::Get) => CONTENT,
            (true, Method::Delete) => DELETED,
            (true, Method::Post | Method::Put) => CHANGED,
        };
        (code, answer.body)
    }
}

/// The part of a path below `topic`; `None` if it is elsewhere.
fn below<'a>(path: &'a str, topic: &str) -> Option<&'a str> {
    match path.strip_prefix(topic)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_the_topic_is_the_target_and_what_lies_beside_it_is_not() {
        assert_eq!(below("w/t/17", "w/t"), Some("17"));
        assert_eq!(below("w/t", "w/t"), Some(""));
        assert_eq!(below("w/tt", "w/t"), None);
        assert_eq!(below("w", "w/t"), None);
    }
}
