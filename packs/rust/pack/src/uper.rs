//! ASN.1 with rasn, in unaligned packed encoding rules (X.691).

use rasn::prelude::*;
use rasn::types::{Constraints, Identifier, TagTree};
use wirelab_pack_runtime::levels::Level;
use wirelab_pack_runtime::{Checksum, Codec, Failure, Phase, whole};

use crate::generated::model::Message;
use crate::generated::uper::{Root, convert, fold, populate};

/// A number as digits times ten to the scale, with the shortest digits that round-trip.
#[derive(AsnType, Decode, Encode, Clone, Debug, PartialEq)]
#[rasn(automatic_tags)]
pub struct Scaled {
    digits: Integer,
    #[rasn(value("-400..=400"))]
    scale: i16,
}

const POWERS: [f64; 10] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/// Up to here, a 64-bit float represents every integer exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl From<f64> for Scaled {
    #[inline]
    fn from(value: f64) -> Self {
        for (places, power) in POWERS.iter().enumerate() {
            // Both are exact, so the quotient is the float nearest to these digits, which is the
            // value or not.
            let digits = (value * power).round();
            if digits.abs() < EXACT && digits / power == value {
                return Self { digits: Integer::from(digits as i64), scale: -(places as i16) };
            }
        }
        Self::from_text(&format!("{value:e}"))
    }
}

impl From<f32> for Scaled {
    fn from(value: f32) -> Self {
        Self::from_text(&format!("{value:e}"))
    }
}

impl Scaled {
    /// Parses Rust's shortest representation, such as `-1.25e-7`.
    fn from_text(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (head, tail) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: i64 = format!("{head}{tail}").parse().unwrap_or(0);
        let scale = exponent.parse().unwrap_or(0) - tail.len() as i16;
        Self { digits: Integer::from(digits), scale }
    }
}

impl From<&Scaled> for f64 {
    #[inline]
    fn from(scaled: &Scaled) -> Self {
        let digits = i64::try_from(&scaled.digits).unwrap_or(i64::MAX);
        let places = usize::from(scaled.scale.unsigned_abs());
        match POWERS.get(places) {
            Some(power) if scaled.scale <= 0 && digits.unsigned_abs() < EXACT as u64 => digits as f64 / power,
            _ => format!("{digits}e{}", scaled.scale).parse().unwrap_or(Self::NAN),
        }
    }
}

impl From<&Scaled> for f32 {
    fn from(scaled: &Scaled) -> Self {
        let digits = i64::try_from(&scaled.digits).unwrap_or(i64::MAX);
        format!("{digits}e{}", scaled.scale).parse().unwrap_or(Self::NAN)
    }
}

fn refused(error: impl std::fmt::Display) -> Failure {
    error.to_string().into()
}

#[inline]
fn read(bytes: &[u8]) -> Result<Root, Failure> {
    let (object, rest) = rasn::uper::decode_with_remainder::<Root>(bytes).map_err(refused)?;
    whole(rest)?;
    Ok(object)
}

pub struct Uper {
    buffer: Vec<u8>,
}

impl Codec for Uper {
    type Native = Message;
    type Object = Root;
    const PHASES: &'static [Phase] = Phase::WITH_OBJECT;

    fn new() -> Result<Self, Failure> {
        Ok(Self { buffer: Vec::new() })
    }

    #[inline]
    fn populate(&mut self, native: &Message) -> Result<Root, Failure> {
        populate(native)
    }

    #[inline]
    fn encode<'a>(&'a mut self, object: &'a Root) -> Result<&'a [u8], Failure> {
        self.buffer.clear();
        rasn::uper::encode_buf(object, &mut self.buffer).map_err(refused)?;
        Ok(&self.buffer)
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        self.buffer.clear();
        rasn::uper::encode_buf(&populate(native)?, &mut self.buffer).map_err(refused)?;
        Ok(&self.buffer)
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        fold(&read(bytes)?, sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        convert(read(bytes)?)
    }
}

/// A record inside itself. Its library has no bound on their number.
#[derive(Clone, Debug, PartialEq)]
pub struct Deeper<T>(pub Box<T>);

impl<T> std::ops::Deref for Deeper<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: AsnType> AsnType for Deeper<T> {
    const TAG: Tag = T::TAG;
    const TAG_TREE: TagTree = T::TAG_TREE;
    const CONSTRAINTS: Constraints = T::CONSTRAINTS;
    const IDENTIFIER: Identifier = T::IDENTIFIER;
}

impl<T: Encode> Encode for Deeper<T> {
    fn encode<'b, E: Encoder<'b>>(&self, encoder: &mut E) -> Result<(), E::Error> {
        self.0.encode(encoder)
    }

    fn encode_with_tag_and_constraints<'b, E: Encoder<'b>>(
        &self,
        encoder: &mut E,
        tag: Tag,
        constraints: &Constraints,
        identifier: Identifier,
    ) -> Result<(), E::Error> {
        self.0.encode_with_tag_and_constraints(encoder, tag, constraints, identifier)
    }
}

impl<T: Decode> Decode for Deeper<T> {
    fn decode<D: Decoder>(decoder: &mut D) -> Result<Self, D::Error> {
        let _level = Level::enter().map_err(|error| rasn::de::Error::custom(error, decoder.codec()))?;
        T::decode(decoder).map(|value| Self(Box::new(value)))
    }

    fn decode_with_tag_and_constraints<D: Decoder>(
        decoder: &mut D,
        tag: Tag,
        constraints: &Constraints,
    ) -> Result<Self, D::Error> {
        let _level = Level::enter().map_err(|error| rasn::de::Error::custom(error, decoder.codec()))?;
        T::decode_with_tag_and_constraints(decoder, tag, constraints).map(|value| Self(Box::new(value)))
    }
}
