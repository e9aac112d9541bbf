//! Block1 and Block2 option values (RFC 7959, section 2.2).
//!
//! coap-lite's own `BlockValue` holds 12 bits of the block number; the option has 20.

/// Maximum block number: 20 bits.
const MAX_NUM: u32 = (1 << 20) - 1;

/// Maximum block size in bytes.
pub(crate) const LARGEST: usize = 1024;

/// One block of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    /// Block number, in units of `size`.
    pub num: u32,
    /// Whether more blocks follow.
    pub more: bool,
    /// Block size in bytes: 16 to 1024.
    pub size: usize,
}

impl Block {
    /// The block of a body of `body_len` bytes at `offset`, which must be a multiple of `size`.
    pub fn at(offset: usize, size: usize, body_len: usize) -> Self {
        Self {
            num: (offset / size) as u32,
            more: offset + size < body_len,
            size,
        }
    }

    /// Offset of the block's first byte.
    pub fn offset(self) -> usize {
        self.num as usize * self.size
    }

    /// The bytes of this block of `body`; empty beyond the end.
    pub fn slice(self, body: &[u8]) -> &[u8] {
        let start = self.offset().min(body.len());
        &body[start..(start + self.size).min(body.len())]
    }

    /// The option's value.
    pub fn encode(self) -> Vec<u8> {
        let exponent = self.size.trailing_zeros() - 4;
        uint(self.num << 4 | u32::from(self.more) << 3 | exponent)
    }

    /// Parses an option value; `None` if it is malformed or has the reserved size 7.
    pub fn decode(value: &[u8]) -> Option<Self> {
        let scalar = read_uint(value)?;
        let (num, exponent) = (scalar >> 4, scalar & 7);
        (value.len() <= 3 && num <= MAX_NUM && exponent < 7).then_some(Self {
            num,
            more: scalar & 8 != 0,
            size: 16 << exponent,
        })
    }
}

/// An option value of the `uint` format: big-endian without leading zeros.
pub(crate) fn uint(value: u32) -> Vec<u8> {
    let skip = value.leading_zeros() as usize / 8;
    value.to_be_bytes()[skip..].to_vec()
}

/// Parses an option value of the `uint` format, up to 4 bytes.
pub(crate) fn read_uint(value: &[u8]) -> Option<u32> {
    (value.len() <= 4).then(|| {
        value
            .iter()
            .fold(0, |sum, &byte| sum << 8 | u32::from(byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_values_are_written_as_rfc_7959_shows_them() {
        let block = |num, more, size| Block { num, more, size }.encode();
        assert_eq!(block(0, false, 16), [0u8; 0]);
        assert_eq!(block(0, true, 1024), [0x0e]);
        assert_eq!(block(3, true, 128), [0x3b]);
        assert_eq!(block(16, false, 1024), [0x01, 0x06]);
        assert_eq!(block(5000, true, 1024), [0x01, 0x38, 0x8e]);
    }

    #[test]
    fn every_written_value_is_read_back() {
        for num in [0, 1, 15, 16, 4095, 4096, MAX_NUM] {
            let block = Block {
                num,
                more: true,
                size: 64,
            };
            assert_eq!(Block::decode(&block.encode()), Some(block));
        }
    }

    #[test]
    fn the_reserved_size_and_overlong_values_are_refused() {
        assert_eq!(Block::decode(&[0x07]), None);
        assert_eq!(Block::decode(&[1, 0, 0, 0]), None);
        assert_eq!(Block::decode(&[0, 0, 0, 0, 0]), None);
    }

    #[test]
    fn a_block_beyond_the_body_is_empty() {
        let block = Block {
            num: 9,
            more: false,
            size: 16,
        };
        assert_eq!(block.slice(&[1; 20]), [0u8; 0]);
        assert_eq!(Block::at(16, 16, 20).slice(&[1; 20]).len(), 4);
    }
}
