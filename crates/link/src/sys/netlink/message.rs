//! Encoding of rtnetlink requests and decoding of their acknowledgements (rtnetlink(7)).

use std::io;

/// Size of a message header.
const HEADER: usize = size_of::<Header>();
/// A header and the error code of an acknowledgement.
const MIN_ANSWER: usize = HEADER + size_of::<i32>();

/// A kernel structure that is sent as its bytes.
///
/// # Safety
/// The type must be `#[repr(C)]` without padding.
pub unsafe trait Wire: Copy {
    /// Its bytes in memory.
    fn bytes(&self) -> &[u8] {
        // SAFETY: the type has no padding, so all its bytes are initialised.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), size_of::<Self>()) }
    }
}

/// struct nlmsghdr.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    length: u32,
    kind: u16,
    flags: u16,
    sequence: u32,
    port: u32,
}
/// struct ifinfomsg: a device.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct LinkInfo {
    pub family: u8,
    pub reserved: u8,
    pub device_type: u16,
    pub index: u32,
    pub flags: u32,
    pub change: u32,
}
/// struct ifaddrmsg: an address.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct AddressInfo {
    pub family: u8,
    pub prefix: u8,
    pub flags: u8,
    pub scope: u8,
    pub index: u32,
}
/// struct ndmsg: a neighbour.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct NeighbourInfo {
    pub family: u8,
    pub reserved: [u8; 3],
    pub index: u32,
    pub state: u16,
    pub flags: u8,
    pub kind: u8,
}
/// struct rtmsg: a route.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct RouteInfo {
    pub family: u8,
    pub destination_prefix: u8,
    pub source_prefix: u8,
    pub tos: u8,
    pub table: u8,
    pub protocol: u8,
    pub scope: u8,
    pub kind: u8,
    pub flags: u32,
}
// SAFETY: repr(C), and every field is aligned to its offset, so there is no padding.
unsafe impl Wire for Header {}
// SAFETY: as above.
unsafe impl Wire for LinkInfo {}
// SAFETY: as above.
unsafe impl Wire for AddressInfo {}
// SAFETY: as above.
unsafe impl Wire for NeighbourInfo {}
// SAFETY: as above.
unsafe impl Wire for RouteInfo {}

/// A request under construction.
pub struct Message {
    kind: u16,
    flags: u16,
    /// Everything after the header.
    body: Vec<u8>,
}

impl Message {
    /// A request that the kernel must acknowledge.
    pub fn new(kind: u16, flags: libc::c_int, info: &impl Wire) -> Message {
        Message {
            kind,
            flags: (libc::NLM_F_REQUEST | libc::NLM_F_ACK | flags) as u16,
            body: info.bytes().to_vec(),
        }
    }

    /// Add an attribute.
    pub fn attribute(self, kind: u16, value: &[u8]) -> Message {
        self.nested(kind, |message| message.raw(value))
    }

    /// Add a NUL-terminated string.
    pub fn string(self, kind: u16, text: &str) -> Message {
        self.nested(kind, |message| message.raw(text.as_bytes()).raw(&[0]))
    }

    /// Add an attribute that contains what `fill` adds.
    pub fn nested(mut self, kind: u16, fill: impl FnOnce(Message) -> Message) -> Message {
        let start = self.body.len();
        self.body.extend([0; 4]);
        let mut filled = fill(self);
        let length = (filled.body.len() - start) as u16;
        filled.body[start..start + 2].copy_from_slice(&length.to_ne_bytes());
        filled.body[start + 2..start + 4].copy_from_slice(&kind.to_ne_bytes());
        let padded = filled.body.len().next_multiple_of(4);
        filled.body.resize(padded, 0);
        filled
    }

    /// Add bytes without a header.
    pub fn raw(mut self, bytes: &[u8]) -> Message {
        self.body.extend_from_slice(bytes);
        self
    }

    /// The whole message.
    pub fn encode(&self, sequence: u32) -> Vec<u8> {
        let header = Header {
            length: (HEADER + self.body.len()) as u32,
            kind: self.kind,
            flags: self.flags,
            sequence,
            port: 0,
        };
        [header.bytes(), &self.body].concat()
    }
}

/// Check the acknowledgement of the request with this sequence number: an error message (struct
/// nlmsgerr) with code 0.
pub fn check_answer(answer: &[u8], sequence: u32) -> io::Result<()> {
    let word = |at: usize| {
        let bytes = answer.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_ne_bytes(bytes))
    };
    let unexpected = |what: &str| Err(io::Error::other(format!("netlink: unexpected {what}")));
    if answer.len() < MIN_ANSWER || word(0).is_none_or(|n| (n as usize) > answer.len()) {
        return unexpected("length of the answer");
    }
    if answer[4..6] != (libc::NLMSG_ERROR as u16).to_ne_bytes() {
        return unexpected("type of the answer");
    }
    if word(8) != Some(sequence) {
        return unexpected("sequence number of the answer");
    }
    match word(HEADER) {
        Some(0) => Ok(()),
        code => Err(io::Error::from_raw_os_error(-(code.unwrap_or(0) as i32))),
    }
}

#[cfg(test)]
mod tests {
    use super::{LinkInfo, Message, check_answer};

    /// An acknowledgement with this length field, type, sequence number and code.
    fn answer(length: u32, kind: u16, sequence: u32, code: i32) -> Vec<u8> {
        let mut bytes = length.to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend([0; 2]);
        bytes.extend(sequence.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(code.to_ne_bytes());
        bytes.extend([0; 16]);
        bytes
    }

    #[test]
    fn a_message_has_its_length_its_sequence_number_and_padded_attributes() {
        let info = LinkInfo {
            index: 7,
            ..LinkInfo::default()
        };
        let bytes = Message::new(16, 0, &info).string(3, "lo").encode(9);
        let mut expected = vec![40, 0, 0, 0, 16, 0, 5, 0, 9, 0, 0, 0, 0, 0, 0, 0];
        expected.extend([0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        expected.extend([7, 0, 3, 0, b'l', b'o', 0, 0]);
        assert_eq!(bytes, expected);
    }

    #[test]
    fn only_a_whole_acknowledgement_of_this_request_is_a_success() {
        assert!(check_answer(&answer(36, 2, 5, 0), 5).is_ok());
        let exists = check_answer(&answer(36, 2, 5, -17), 5).unwrap_err();
        assert_eq!(exists.raw_os_error(), Some(17));
        for (bytes, part) in [
            (answer(36, 2, 5, 0)[..19].to_vec(), "length"),
            (answer(37, 2, 5, 0), "length"),
            (answer(36, 3, 5, 0), "type"),
            (answer(36, 2, 6, 0), "sequence number"),
        ] {
            let said = check_answer(&bytes, 5).unwrap_err().to_string();
            assert!(said.contains(part), "{said}");
        }
    }
}
