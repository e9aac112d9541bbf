//! Messages in a byte stream: a u32 little-endian length and that many bytes each.

use bytes::{Buf, BufMut, Bytes, BytesMut};

/// A message as a frame.
pub fn framed(message: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(4 + message.len());
    frame.put_u32_le(message.len() as u32);
    frame.put_slice(message);
    frame.freeze()
}

/// Takes a message from the front of `waiting`; `None` if its frame is incomplete.
///
/// # Errors
/// One sentence if the message is longer than `longest`.
pub fn next_message(waiting: &mut BytesMut, longest: usize) -> Result<Option<Bytes>, String> {
    let Some(length) = waiting.first_chunk::<4>() else {
        return Ok(None);
    };
    let length = u32::from_le_bytes(*length) as usize;
    if length > longest {
        return Err(format!(
            "frame of {length} B is longer than any message of this trial"
        ));
    }
    if waiting.len() < 4 + length {
        waiting.reserve(4 + length - waiting.len());
        return Ok(None);
    }
    waiting.advance(4);
    Ok(Some(waiting.split_to(length).freeze()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_taken_when_its_last_byte_is_there() {
        let mut waiting = BytesMut::from(&b"\x02\0\0\0a"[..]);
        assert_eq!(next_message(&mut waiting, 1000), Ok(None));
        waiting.extend_from_slice(b"b\x00\0\0\0\xff");
        assert_eq!(next_message(&mut waiting, 1000), Ok(Some("ab".into())));
        assert_eq!(next_message(&mut waiting, 1000), Ok(Some("".into())));
        assert_eq!(next_message(&mut waiting, 1000), Ok(None));
        waiting.extend_from_slice(b"\xff\xff\x7f");
        let why = next_message(&mut waiting, 1000).unwrap_err();
        assert!(why.contains("2147483647 B"));
    }

    #[test]
    fn a_frame_reads_back_as_its_message() {
        let mut waiting = BytesMut::from(&framed(b"abc")[..]);
        assert_eq!(next_message(&mut waiting, 3), Ok(Some("abc".into())));
    }
}
