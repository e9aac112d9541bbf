//! Messages one behind the other, each behind its length as a base-128 varint.

/// Appends a message behind its length.
pub fn append(batch: &mut Vec<u8>, message: &[u8]) {
    let mut rest = message.len();
    while rest >= 128 {
        batch.push(rest as u8 | 128);
        rest >>= 7;
    }
    batch.push(rest as u8);
    batch.extend_from_slice(message);
}
