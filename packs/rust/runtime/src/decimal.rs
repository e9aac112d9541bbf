//! Numbers whose digits matter: `1.00` is not `1.0`. A number literal in JSON, the format's own
//! decimal in CBOR (tag 4) and BSON, text elsewhere.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::value::RawValue;

use crate::checksum::{Checksum, Fold};
use crate::codec::{Failure, is_bson, is_ciborium, is_serde_json};

/// A decimal number in the form of the General Decimal Arithmetic specification ("to scientific
/// string"): `1.00`, `1.2E+2`, `-0`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bitcode", derive(bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "rkyv", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize))]
pub struct Decimal(pub(crate) String);

/// A number as its sign, its digits without leading zeros and the exponent of the last of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

/// The bias of the exponent of decimal128 (IEEE 754-2019, section 3.6).
const BIAS: i64 = 6176;
/// The digits of the coefficient of decimal128.
const MOST_DIGITS: usize = 34;
const BYTES: &str = "$numberDecimalBytes";

impl Decimal {
    /// The number in a JSON number literal.
    ///
    /// # Errors
    /// The text is none.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let parts = Parts::parse(text).ok_or_else(|| format!("'{text}' is not a decimal number"))?;
        Ok(Self(parts.to_string()))
    }

    /// The number as text.
    pub fn text(&self) -> &str {
        &self.0
    }

    fn parts(&self) -> Parts {
        Parts::parse(&self.0).unwrap_or(Parts { is_negative: false, digits: "0".into(), exponent: 0 })
    }
}

impl Parts {
    fn parse(text: &str) -> Option<Self> {
        let (is_negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], rest[at + 1..].strip_prefix('+').unwrap_or(&rest[at + 1..]).parse::<i32>().ok()?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = || whole.bytes().chain(fraction.bytes());
        if whole.is_empty() || (mantissa.contains('.') && fraction.is_empty()) || !all().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let digits: String = all().map(char::from).skip_while(|digit| *digit == '0').collect();
        let exponent = i64::from(power) - fraction.len() as i64;
        Some(Self { is_negative, digits: if digits.is_empty() { "0".into() } else { digits }, exponent })
    }

    fn of(mantissa: i128, exponent: i64) -> Self {
        Self { is_negative: mantissa < 0, digits: mantissa.unsigned_abs().to_string(), exponent }
    }

    /// The coefficient with its sign; `None` for -0 and beyond 127 bits.
    fn mantissa(&self) -> Option<i128> {
        let size: i128 = self.digits.parse().ok()?;
        if self.is_negative && size == 0 { None } else { Some(if self.is_negative { -size } else { size }) }
    }

    /// Decimal128 with a binary coefficient; `None` for numbers that it does not hold.
    fn to_decimal128(&self) -> Option<[u8; 16]> {
        let biased = self.exponent + BIAS;
        if self.digits.len() > MOST_DIGITS || !(0..12288).contains(&biased) {
            return None;
        }
        let coefficient: u128 = self.digits.parse().ok()?;
        Some((u128::from(self.is_negative) << 127 | (biased as u128) << 113 | coefficient).to_le_bytes())
    }

    fn from_decimal128(bytes: [u8; 16]) -> Option<Self> {
        let word = u128::from_le_bytes(bytes);
        let (biased, coefficient) = ((word >> 113) as i64 & 0x3fff, word & ((1 << 113) - 1));
        let digits = coefficient.to_string();
        (biased < 12288 && digits.len() <= MOST_DIGITS).then(|| Self {
            is_negative: word >> 127 == 1,
            digits,
            exponent: biased - BIAS,
        })
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_negative, digits, exponent } = self;
        let adjusted = exponent + digits.len() as i64 - 1;
        f.write_str(if *is_negative { "-" } else { "" })?;
        if *exponent <= 0 && adjusted >= -6 {
            let point = digits.len() as i64 + exponent;
            return match point {
                _ if *exponent == 0 => f.write_str(digits),
                1.. => write!(f, "{}.{}", &digits[..point as usize], &digits[point as usize..]),
                _ => write!(f, "0.{}{digits}", "0".repeat(-point as usize)),
            };
        }
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(f, "{first}{point}{rest}E{adjusted:+}")
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Fold for Decimal {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.bytes(self.0.as_bytes());
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error as _;
        if is_serde_json::<S>() {
            return serde_json::from_str::<&RawValue>(&self.0).map_err(S::Error::custom)?.serialize(serializer);
        }
        if is_ciborium::<S>() {
            let parts = self.parts();
            if let Some(mantissa) = parts.mantissa() {
                return Tag::Tagged(4, (parts.exponent, mantissa)).serialize(serializer);
            }
        }
        if is_bson::<S>()
            && let Some(bytes) = self.parts().to_decimal128()
        {
            let mut out = serializer.serialize_struct("$numberDecimal", 1)?;
            out.serialize_field(BYTES, &Bytes(bytes))?;
            return out.end();
        }
        serializer.serialize_str(&self.0)
    }
}

/// The form in which ciborium has a tagged value, as its own `tag::Captured`.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "@@TAG@@")]
enum Tag<T> {
    #[serde(rename = "@@UNTAGGED@@")]
    Untagged(String),
    #[serde(rename = "@@TAGGED@@")]
    Tagged(u64, T),
}

struct Bytes([u8; 16]);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Sixteen;
        impl Visitor<'_> for Sixteen {
            type Value = Bytes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the 16 bytes of a decimal128")
            }
            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                bytes.try_into().map(Bytes).map_err(|_| E::invalid_length(bytes.len(), &self))
            }
        }
        deserializer.deserialize_bytes(Sixteen)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if is_serde_json::<D>() {
            let literal = Box::<RawValue>::deserialize(deserializer)?;
            return Self::parse(literal.get()).map_err(D::Error::custom);
        }
        if is_ciborium::<D>() {
            return match Tag::<(i64, i128)>::deserialize(deserializer)? {
                Tag::Tagged(4, (exponent, mantissa)) => Ok(Self(Parts::of(mantissa, exponent).to_string())),
                Tag::Tagged(tag, _) => Err(D::Error::custom(format_args!("tag {tag} is not a decimal fraction"))),
                Tag::Untagged(text) => Self::parse(&text).map_err(D::Error::custom),
            };
        }
        if is_bson::<D>() {
            return deserializer.deserialize_any(Number);
        }
        deserializer.deserialize_str(Number)
    }
}

struct Number;

impl<'de> Visitor<'de> for Number {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Decimal, E> {
        Decimal::parse(text).map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Decimal, E> {
        Ok(Decimal(value.to_string()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Decimal, E> {
        Ok(Decimal(value.to_string()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Decimal, E> {
        Decimal::parse(&value.to_string()).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Decimal, A::Error> {
        match entries.next_entry::<String, Bytes>()? {
            Some((key, bytes)) if key == BYTES => {
                let parts = Parts::from_decimal128(bytes.0).ok_or_else(|| A::Error::custom("no finite decimal128"))?;
                Ok(Decimal(parts.to_string()))
            }
            _ => Err(A::Error::custom("an object is not a decimal number")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Decimal::parse(text).unwrap().0
    }

    #[test]
    fn digits_and_exponent_are_kept() {
        let long = "0.1234567890123456789012345678901234567890";
        for text in ["0", "-0", "-0.00", "1.00", "0.000001", "1E-7", "1.2E+2", "0E+3", long, "100000000000000000000"] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn other_spellings_have_the_same_digits_and_exponent() {
        assert_eq!(shown("12e1"), "1.2E+2");
        assert_eq!(shown("0.0000001"), "1E-7");
        assert_eq!(shown("1.0e-2"), "0.010");
    }

    #[test]
    fn text_that_is_no_number_is_refused() {
        for text in ["", "-", ".5", "5.", "1e", "nan", "+1", "1 ", "0x1", "1e99999999999"] {
            assert!(Decimal::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn decimal128_has_a_biased_exponent_above_its_coefficient() {
        // 0.1 in the BSON specification's tests (decimal128-1.json):
        // 0100000000000000000000000000 3E30
        let parts = Parts::parse("0.1").unwrap();
        let bytes = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3e, 0x30];
        assert_eq!(parts.to_decimal128(), Some(bytes));
        assert_eq!(Parts::from_decimal128(bytes), Some(parts));
        assert_eq!(Parts::parse("12345678901234567890123456789012345").unwrap().to_decimal128(), None);
    }
}
