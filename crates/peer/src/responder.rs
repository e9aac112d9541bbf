//! The responder's service: turns requests into answers.

use wirelab_contract::{Fault, Method, Script};

use crate::delivery_sink::DeliverySink;
use crate::script::ScriptState;

/// A request in the form `METHOD target` or `METHOD target body`.
#[derive(Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The method.
    pub method: Method,
    /// The target.
    pub target: &'a str,
    /// The body; may be empty.
    pub body: &'a [u8],
}

impl<'a> Request<'a> {
    /// Parses a message; `None` if it is not a request of this form.
    pub fn read(message: &'a [u8]) -> Option<Self> {
        let mut words = message.splitn(3, |&byte| byte == b' ');
        let method = match words.next()? {
            b"GET" => Method::Get,
            b"PUT" => Method::Put,
            b"DELETE" => Method::Delete,
            _ => return None,
        };
        let target = std::str::from_utf8(words.next()?).ok()?;
        let body = words.next().unwrap_or_default();
        Some(Self {
            method,
            target,
            body,
        })
    }

    /// The inverse of [`Request::read`].
    pub fn write(&self) -> Vec<u8> {
        let method = match self.method {
            Method::Get => "GET",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
        };
        let mut message = format!("{method} {}", self.target).into_bytes();
        if !self.body.is_empty() {
            message.push(b' ');
            message.extend_from_slice(self.body);
        }
        message
    }

    /// Whether the message is a report, which needs no answer beyond an acknowledgement.
    pub fn is_report(message: &'a [u8]) -> bool {
        Self::read(message).is_some_and(|request| request.method != Method::Get)
    }
}

/// The answer to a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether the request succeeded.
    pub done: bool,
    /// The answer's bytes.
    pub body: Vec<u8>,
}

/// Records each request and answers it as its script says. Owned by one thread.
pub struct Responder {
    sink: DeliverySink,
    script: ScriptState,
}

impl Responder {
    /// # Errors
    /// A fatal fault for a script that contradicts itself.
    pub(crate) fn new(sink: DeliverySink, script: Script) -> Result<Self, Fault> {
        let script = ScriptState::new(script).map_err(|why| Fault::fatal("script", why))?;
        Ok(Self { sink, script })
    }

    /// Records and answers a request that has just arrived. `duplicate`: the protocol itself marked
    /// it as a duplicate.
    pub fn answer(&mut self, request: &[u8], duplicate: bool) -> Answer {
        self.sink.deliver(request, duplicate);
        self.script.answer(request)
    }

    /// Reports that the connection has been re-established.
    pub fn reconnected(&self) {
        self.sink.reconnected();
    }

    /// Reports an error while receiving.
    pub fn fault(&self, fault: Fault) {
        self.sink.fault(fault);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_written_as_it_was_read() {
        for message in ["GET 17", "PUT 18 42", "DELETE 17"] {
            let request = Request::read(message.as_bytes()).unwrap();
            assert_eq!(request.write(), message.as_bytes());
            assert_eq!(
                Request::is_report(message.as_bytes()),
                request.method != Method::Get
            );
        }
        assert_eq!(Request::read(b"\x00\x01 2"), None);
    }
}
