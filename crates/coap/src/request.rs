//! Conversion between requests in text form (docs/contracts/peer.md, "Requests and answers") and
//! CoAP requests.

use wirelab_peer::Request;

use crate::publisher::Method;

/// The method, target and body of a message. A message that is not a request uses `otherwise`, with
/// the message as the body.
pub fn read(message: &[u8], otherwise: Method) -> (Method, &str, &[u8]) {
    let Some(request) = Request::read(message) else {
        return (otherwise, "", message);
    };
    let method = match request.method {
        wirelab_peer::Method::Get => Method::Get,
        wirelab_peer::Method::Put => Method::Put,
        wirelab_peer::Method::Delete => Method::Delete,
    };
    (method, request.target, request.body)
}

/// The inverse of [`read`].
pub fn message(method: Method, target: &str, body: &[u8]) -> Vec<u8> {
    let method = match method {
        Method::Get => wirelab_peer::Method::Get,
        Method::Put => wirelab_peer::Method::Put,
        Method::Delete => wirelab_peer::Method::Delete,
        Method::Post => return body.to_vec(),
    };
    Request {
        method,
        target,
        body,
    }
    .write()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_the_request_that_it_names_and_comes_back_as_it_was() {
        for (message, method) in [
            (&b"GET 17"[..], Method::Get),
            (b"PUT 18 42", Method::Put),
            (b"DELETE 17", Method::Delete),
            (b"\x00\xff", Method::Post),
        ] {
            let (named, target, body) = read(message, Method::Post);
            assert_eq!(named, method);
            assert_eq!(super::message(named, target, body), message);
        }
    }
}
