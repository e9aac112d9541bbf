//! Messages in stanzas: text as the body, other bytes as base64 in a separate element.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::message::Message;
use wirelab_peer::{Fault, Setup};

/// Namespace of the element with bytes.
const BINARY: &str = "urn:wirelab:binary";

/// How messages are represented in stanzas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As text if possible.
    Auto,
    /// Always base64.
    Base64,
}

impl Form {
    /// The value of the option.
    ///
    /// # Errors
    /// A fatal fault that names the option.
    pub fn read(setup: &Setup) -> Result<Self, Fault> {
        let forms = [("auto", Self::Auto), ("base64", Self::Base64)];
        setup.options.one_of("body", forms)
    }
}

/// Puts bytes into a stanza.
pub fn fill(message: &mut Message, bytes: &[u8], form: Form) {
    match std::str::from_utf8(bytes) {
        Ok(text) if form == Form::Auto && text.chars().all(is_kept) => {
            message.bodies.insert(Default::default(), text.to_owned());
        }
        _ => message.payloads.push(
            Element::builder("data", BINARY)
                .append(STANDARD.encode(bytes))
                .build(),
        ),
    }
}

/// The bytes in a stanza; `None` if it contains none of ours.
pub fn read(message: &Message) -> Option<Vec<u8>> {
    if let Some(data) = message.payloads.iter().find(|e| e.is("data", BINARY)) {
        return STANDARD.decode(data.text()).ok();
    }
    let text = message.bodies.values().next()?;
    Some(text.clone().into_bytes())
}

/// A character that survives the round trip: XML 1.0 (2.2) allows it, and line-end normalisation
/// (2.11) does not change it.
fn is_kept(c: char) -> bool {
    matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(bytes: &[u8], form: Form) -> (bool, Vec<u8>) {
        let mut message = Message::chat(None);
        fill(&mut message, bytes, form);
        (!message.bodies.is_empty(), read(&message).unwrap())
    }

    #[test]
    fn text_is_a_body_and_bytes_are_base64() {
        assert!(carried(b"{\"a\": \"<&\xc3\xa9\"}", Form::Auto).0);
        for bytes in [&b"\x08\x01"[..], b"\xff", b"a\rb", b"\0"] {
            assert_eq!(carried(bytes, Form::Auto), (false, bytes.to_vec()));
        }
        assert_eq!(carried(b"text", Form::Base64), (false, b"text".to_vec()));
    }

    #[test]
    fn a_stanza_without_ours_has_no_bytes() {
        assert_eq!(read(&Message::chat(None)), None);
    }
}
