//! Helpers for coap-lite's packets.

use coap_lite::{CoapOption, MessageClass, MessageType, Packet, RequestType, ResponseType};

use crate::block::{Block, read_uint, uint};

/// Request-Tag (RFC 9175, section 3.2), which coap-lite does not define.
pub(crate) const REQUEST_TAG: CoapOption = CoapOption::Unknown(292);

/// A message without options or payload.
pub(crate) fn message(kind: MessageType, code: MessageClass, id: u16, token: &[u8]) -> Packet {
    let mut packet = Packet::new();
    packet.header.set_version(1);
    packet.header.set_type(kind);
    packet.header.code = code;
    packet.header.message_id = id;
    packet.set_token(token.to_vec());
    packet
}

/// A request to a path.
pub(crate) fn request(
    confirmable: bool,
    method: RequestType,
    id: u16,
    token: u32,
    path: &[Vec<u8>],
) -> Packet {
    let mut packet = message(
        kind(confirmable),
        MessageClass::Request(method),
        id,
        &token.to_be_bytes(),
    );
    for segment in path {
        packet.add_option(CoapOption::UriPath, segment.clone());
    }
    packet
}

/// The empty reply to message `id`: an acknowledgement or a reset.
pub(crate) fn empty(kind: MessageType, id: u16) -> Vec<u8> {
    bytes(&message(kind, MessageClass::Empty, id, &[]))
}

/// The type of a message: confirmable or not.
pub(crate) fn kind(confirmable: bool) -> MessageType {
    if confirmable {
        MessageType::Confirmable
    } else {
        MessageType::NonConfirmable
    }
}

/// The bytes of a message.
pub(crate) fn bytes(packet: &Packet) -> Vec<u8> {
    packet
        .to_bytes_unlimited()
        .expect("without a limit no message is too long")
}

/// Parses a datagram; `None` unless it is a CoAP message of version 1.
pub(crate) fn parse(datagram: &[u8]) -> Option<Packet> {
    // An empty message has exactly four bytes (RFC 7252, section 4.1); coap-lite does not check
    // that.
    let packet = Packet::from_bytes(datagram)
        .ok()
        .filter(|packet| packet.header.get_version() == 1)?;
    (packet.header.code != MessageClass::Empty || datagram.len() == 4).then_some(packet)
}

/// The token, if it has four bytes as the tokens of our requests have.
pub(crate) fn token(packet: &Packet) -> Option<u32> {
    packet.get_token().try_into().ok().map(u32::from_be_bytes)
}

/// The value of a block option; `None` if absent, `Err` if malformed.
pub(crate) fn block(packet: &Packet, option: CoapOption) -> Result<Option<Block>, ()> {
    packet
        .get_first_option(option)
        .map(|value| Block::decode(value).ok_or(()))
        .transpose()
}

/// The value of an option of the `uint` format.
pub(crate) fn number(packet: &Packet, option: CoapOption) -> Option<u32> {
    packet
        .get_first_option(option)
        .and_then(|value| read_uint(value))
}

/// Adds an option of the `uint` format.
pub(crate) fn add_number(packet: &mut Packet, option: CoapOption, value: u32) {
    packet.add_option(option, uint(value));
}

/// The class of a response code, 2 for 2.xx; 0 for anything else.
pub(crate) fn class(code: MessageClass) -> u8 {
    if matches!(code, MessageClass::Response(_) | MessageClass::Reserved(_)) {
        u8::from(code) >> 5
    } else {
        0
    }
}

/// A code in the notation of the RFCs, such as "4.08".
pub(crate) fn code_text(code: MessageClass) -> String {
    let code = u8::from(code);
    format!("{}.{:02}", code >> 5, code & 31)
}

/// Whether a code is this response.
pub(crate) fn is(packet: &Packet, response: ResponseType) -> bool {
    packet.header.code == MessageClass::Response(response)
}

/// The path segments of a topic.
pub(crate) fn segments(topic: &str) -> Vec<Vec<u8>> {
    topic
        .split('/')
        .filter(|segment| !segment.is_empty())
        .map(|segment| segment.as_bytes().to_vec())
        .collect()
}

/// A sequence of message IDs.
#[derive(Debug)]
pub(crate) struct Ids(u16);

impl Ids {
    pub fn new(first: u16) -> Self {
        Self(first)
    }

    /// The next ID for which `taken` is false.
    pub fn next(&mut self, taken: impl Fn(u16) -> bool) -> u16 {
        loop {
            let id = self.0;
            self.0 = id.wrapping_add(1);
            if !taken(id) {
                return id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledgement_is_four_bytes() {
        assert_eq!(
            empty(MessageType::Acknowledgement, 0x1234),
            [0x60, 0x00, 0x12, 0x34]
        );
    }

    #[test]
    fn a_non_post_to_wirelab_t_is_these_bytes() {
        let mut packet = request(
            false,
            RequestType::Post,
            7,
            0x0a0b_0c0d,
            &segments("wirelab/t"),
        );
        packet.payload = b"hi".to_vec();
        assert_eq!(
            bytes(&packet),
            b"\x54\x02\x00\x07\x0a\x0b\x0c\x0d\xb7wirelab\x01t\xffhi"
        );
    }

    #[test]
    fn an_empty_message_with_more_than_its_header_is_refused() {
        assert!(parse(&[0x60, 0, 0, 1, 0xff, 1]).is_none());
        assert!(parse(&[0x60, 0, 0, 1]).is_some());
        assert!(parse(&[0xa0, 0, 0, 1]).is_none(), "version 2");
    }

    #[test]
    fn no_datagram_of_noise_makes_the_codec_panic() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..200_000 {
            let mut noise = [0u8; 24];
            rng.fill(&mut noise);
            noise[0] = 0x40 | noise[0] & 0x3f;
            let _ = parse(&noise[..rng.usize(0..=24)]);
        }
    }
}
