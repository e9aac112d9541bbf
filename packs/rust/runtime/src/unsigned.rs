//! Unsigned integers above 2^63 - 1, which Avro and BSON store as the signed integer with the same
//! 64 bits.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::checksum::{Checksum, Fold};
use crate::codec::{is_buffered, is_signed_only};

/// A u64 of a field whose range exceeds i64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bitcode", derive(bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "rkyv", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize))]
pub struct Unsigned(pub u64);

impl Fold for Unsigned {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.word(self.0);
    }
}

impl Serialize for Unsigned {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if is_signed_only::<S>() { serializer.serialize_i64(self.0 as i64) } else { serializer.serialize_u64(self.0) }
    }
}

struct UnsignedVisitor {
    from_long: bool,
}

impl Visitor<'_> for UnsignedVisitor {
    type Value = Unsigned;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an unsigned integer of 64 bits")
    }

    #[inline]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Unsigned, E> {
        Ok(Unsigned(value))
    }

    #[inline]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Unsigned, E> {
        if value < 0 && !self.from_long {
            return Err(E::invalid_value(de::Unexpected::Signed(value), &self));
        }
        Ok(Unsigned(value as u64))
    }
}

impl<'de> Deserialize<'de> for Unsigned {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let from_long = is_signed_only::<D>() || is_buffered::<D>();
        deserializer.deserialize_u64(UnsignedVisitor { from_long })
    }
}
