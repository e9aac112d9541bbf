//! Standard base64 (RFC 4648, section 4): text in JSON, bytes in binary formats.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::checksum::{Checksum, Fold};
use crate::codec::is_text;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes that JSON writes as padded base64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bitcode", derive(bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "rkyv", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize))]
pub struct Base64(pub Vec<u8>);

impl Base64 {
    /// Parses canonical, padded base64; `None` for anything that would not round-trip to the same
    /// text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
        let groups = text.as_bytes().chunks(4);
        let last = groups.len().checked_sub(1);
        for (index, group) in groups.enumerate() {
            let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
            if group.len() != 4 || padding > 2 || (padding > 0 && Some(index) != last) {
                return None;
            }
            let mut word = 0_u32;
            for byte in &group[..4 - padding] {
                word = word << 6 | value(*byte)?;
            }
            word <<= 6 * padding;
            let [_, decoded @ ..] = word.to_be_bytes();
            if decoded[3 - padding..].iter().any(|byte| *byte != 0) {
                return None;
            }
            bytes.extend_from_slice(&decoded[..3 - padding]);
        }
        Some(Self(bytes))
    }
}

fn value(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

impl fmt::Display for Base64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for group in self.0.chunks(3) {
            let mut word = [0; 4];
            word[1..=group.len()].copy_from_slice(group);
            let word = u32::from_be_bytes(word);
            for position in 0..4 {
                let digit = ALPHABET[(word >> (18 - 6 * position) & 63) as usize];
                let shown = if position > group.len() { '=' } else { char::from(digit) };
                fmt::Write::write_char(f, shown)?;
            }
        }
        Ok(())
    }
}

impl Fold for Base64 {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.bytes(&self.0);
    }
}

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if is_text::<S>(serializer.is_human_readable()) {
            serializer.collect_str(self)
        } else {
            serializer.serialize_bytes(&self.0)
        }
    }
}

struct Base64Visitor;

impl<'de> Visitor<'de> for Base64Visitor {
    type Value = Base64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("padded base64")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Base64, E> {
        Base64::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Base64, E> {
        Ok(Base64(bytes.to_vec()))
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Base64, E> {
        Ok(Base64(bytes))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Base64, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = items.next_element()? {
            bytes.push(byte);
        }
        Ok(Base64(bytes))
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if is_text::<D>(deserializer.is_human_readable()) {
            deserializer.deserialize_str(Base64Visitor)
        } else {
            deserializer.deserialize_byte_buf(Base64Visitor)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_4648_section_10_come_out() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(Base64(bytes.into()).to_string(), text);
            assert_eq!(Base64::parse(text).unwrap().0, bytes.as_bytes());
        }
    }

    #[test]
    fn text_that_would_not_come_back_the_same_is_refused() {
        for text in ["Zg", "Zh==", "Zg==Zg==", "Zm9_", "=", "===="] {
            assert_eq!(Base64::parse(text), None, "{text}");
        }
    }
}
