//! The responder's service: turns requests into answers.

use std::collections::{BTreeSet, HashMap};

use wirelab_contract::{Application, Fault};

use crate::delivery_sink::DeliverySink;

/// Number of spots in the car park: 10 x 10.
const SPOTS: u8 = 100;

/// A request method, among those that HTTP and CoAP share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Queries something.
    Get,
    /// Reports a state.
    Put,
    /// Reports the end of a state.
    Delete,
}

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

/// Records each request and computes its answer. Owned by one thread.
pub struct Responder {
    sink: DeliverySink,
    park: Option<Park>,
}

impl Responder {
    pub(crate) fn new(sink: DeliverySink, application: Application) -> Self {
        let park = (application == Application::Parking).then(Park::default);
        Self { sink, park }
    }

    /// Records and answers a request that has just arrived. `duplicate`: the protocol itself marked
    /// it as a duplicate.
    pub fn answer(&mut self, request: &[u8], duplicate: bool) -> Answer {
        self.sink.deliver(request, duplicate);
        match &mut self.park {
            Some(park) => park.answer(request),
            None => Answer {
                done: true,
                body: request.to_vec(),
            },
        }
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

/// The car park: the free spots, and the spot of each car.
struct Park {
    free: BTreeSet<u8>,
    spot_of: HashMap<String, u8>,
}

impl Default for Park {
    fn default() -> Self {
        Self {
            free: (0..SPOTS).collect(),
            spot_of: HashMap::new(),
        }
    }
}

impl Park {
    fn answer(&mut self, message: &[u8]) -> Answer {
        let found = Request::read(message).map(|request| match request.method {
            Method::Get => self.reserve(request.target),
            Method::Put => self.occupy(request.target, request.body),
            Method::Delete => self.leave(request.target),
        });
        let (done, body) = match found.unwrap_or(Err("not a request")) {
            Ok(spot) => (true, spot.to_string()),
            Err(why) => (false, why.to_owned()),
        };
        Answer {
            done,
            body: body.into_bytes(),
        }
    }

    /// Reserves the lowest free spot. A car that already has a spot keeps it.
    fn reserve(&mut self, car: &str) -> Result<u8, &'static str> {
        if let Some(&spot) = self.spot_of.get(car) {
            return Ok(spot);
        }
        let spot = self.free.pop_first().ok_or("full")?;
        self.spot_of.insert(car.to_owned(), spot);
        Ok(spot)
    }

    fn occupy(&mut self, car: &str, spot: &[u8]) -> Result<u8, &'static str> {
        let text = std::str::from_utf8(spot).ok();
        let spot = text.and_then(|text| text.parse().ok()).ok_or("no spot")?;
        if self.spot_of.get(car) != Some(&spot) && !self.free.remove(&spot) {
            return Err("taken");
        }
        self.spot_of.insert(car.to_owned(), spot);
        Ok(spot)
    }

    fn leave(&mut self, car: &str) -> Result<u8, &'static str> {
        let spot = self.spot_of.remove(car).ok_or("not here")?;
        self.free.insert(spot);
        Ok(spot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(messages: &[&str]) -> Vec<(bool, String)> {
        let mut park = Park::default();
        let answer = |message: &&str| park.answer(message.as_bytes());
        let plain = |answer: Answer| (answer.done, String::from_utf8(answer.body).unwrap());
        messages.iter().map(answer).map(plain).collect()
    }

    #[test]
    fn get_reserves_the_lowest_free_spot_put_occupies_and_delete_frees() {
        let found = answers(&["GET 1", "PUT 2 1", "GET 3", "DELETE 1", "GET 4"]);
        let spots: Vec<&str> = found.iter().map(|(_, spot)| spot.as_str()).collect();
        assert_eq!(spots, ["0", "1", "2", "0", "0"]);
        assert!(found.iter().all(|(done, _)| *done));
    }

    #[test]
    fn a_request_that_comes_twice_changes_nothing_more() {
        let found = answers(&["GET 1", "GET 1", "PUT 2 9", "PUT 2 9", "GET 3"]);
        let spots: Vec<&str> = found.iter().map(|(_, spot)| spot.as_str()).collect();
        assert_eq!(spots, ["0", "0", "9", "9", "1"]);
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let many: Vec<String> = (0..=100).map(|car| format!("GET {car}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(answers(&many)[100], (false, "full".into()));
        let found = answers(&["PUT 1 5", "PUT 2 5", "PUT 3 100", "DELETE 9", "hello"]);
        let why: Vec<&str> = found[1..].iter().map(|(_, why)| why.as_str()).collect();
        assert_eq!(why, ["taken", "taken", "not here", "not a request"]);
    }

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
