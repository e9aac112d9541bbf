//! Requests as an application writes them (docs/contracts/peer.md, "Requests and answers"), and what CoAP makes of them.

use wirelab_peer::Request;

use crate::publisher::Method;

/// What a message asks for: by the method and the path that it names, else by `otherwise`, the message as the body.
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

/// The message of which a request was made.
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
