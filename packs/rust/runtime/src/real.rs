//! Floats that may be NaN or an infinity. JSON has no such numbers: its libraries write null, which
//! is read as NaN. The JSON of a corpus has them as text, as Protobuf's JSON mapping.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::checksum::{Checksum, Fold};
use crate::codec::{is_buffered, is_corpus, is_json};

/// A float of a field whose values include NaN and the infinities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bitcode", derive(bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "rkyv", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize))]
pub struct Real<T>(pub T);

/// The widths of [`Real`].
pub trait Width: Copy + Serialize + Into<f64> {
    /// The nearest float of this width.
    fn of(value: f64) -> Self;
    /// Reads a float of this width.
    ///
    /// # Errors
    /// Those of the deserializer.
    fn read<'de, D: Deserializer<'de>, V: Visitor<'de>>(deserializer: D, visitor: V) -> Result<V::Value, D::Error>;
}

impl Width for f32 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value as Self
    }
    #[inline]
    fn read<'de, D: Deserializer<'de>, V: Visitor<'de>>(deserializer: D, visitor: V) -> Result<V::Value, D::Error> {
        deserializer.deserialize_f32(visitor)
    }
}

impl Width for f64 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
    #[inline]
    fn read<'de, D: Deserializer<'de>, V: Visitor<'de>>(deserializer: D, visitor: V) -> Result<V::Value, D::Error> {
        deserializer.deserialize_f64(visitor)
    }
}

impl<T: Width> Real<T> {
    /// NaN or an infinity by the text of Protobuf's JSON mapping.
    pub fn parse(text: &str) -> Option<Self> {
        let value = match text {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => return None,
        };
        Some(Self(T::of(value)))
    }
}

fn name(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

impl<T: Width> Fold for Real<T> {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.float(self.0.into());
    }
}

impl<T: Width> Serialize for Real<T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: f64 = self.0.into();
        if !value.is_finite() && is_corpus::<S>() {
            return serializer.serialize_str(name(value));
        }
        self.0.serialize(serializer)
    }
}

struct Number<T>(std::marker::PhantomData<T>);

impl<T: Width> Visitor<'_> for Number<T> {
    type Value = Real<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, NaN or an infinity")
    }
    #[inline]
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Real<T>, E> {
        Ok(Real(T::of(value)))
    }
    #[inline]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Real<T>, E> {
        Ok(Real(T::of(value as f64)))
    }
    #[inline]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Real<T>, E> {
        Ok(Real(T::of(value as f64)))
    }
    fn visit_unit<E: de::Error>(self) -> Result<Real<T>, E> {
        Ok(Real(T::of(f64::NAN)))
    }
    fn visit_none<E: de::Error>(self) -> Result<Real<T>, E> {
        self.visit_unit()
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Real<T>, E> {
        Real::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

impl<'de, T: Width> Deserialize<'de> for Real<T> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Number(std::marker::PhantomData);
        if is_json::<D>() || is_buffered::<D>() {
            return deserializer.deserialize_any(number);
        }
        T::read(deserializer, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_null_for_nan_and_infinities_and_gives_nan_back() {
        let written = [Real(1.5), Real(f64::NAN), Real(f64::NEG_INFINITY)];
        let text = serde_json::to_string(&written).unwrap();
        assert_eq!(text, "[1.5,null,null]");
        let read: Vec<Real<f64>> = serde_json::from_str(&text).unwrap();
        assert_eq!(read[0], Real(1.5));
        assert!(read[1].0.is_nan() && read[2].0.is_nan());
    }

    #[test]
    fn the_json_of_a_corpus_has_them_as_text() {
        let text = r#"[7,"NaN","Infinity","-Infinity"]"#;
        let read: Vec<Real<f32>> = serde_json::from_str(text).unwrap();
        assert_eq!((read[0], read[2], read[3]), (Real(7.0), Real(f32::INFINITY), Real(f32::NEG_INFINITY)));
        let mut written = Vec::new();
        crate::corpus::write_json(&read, &mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), r#"[7.0,"NaN","Infinity","-Infinity"]"#);
        assert!(serde_json::from_str::<Real<f64>>(r#""nan""#).is_err());
    }

    #[test]
    fn a_value_in_memory_is_read_as_its_json() {
        for (text, expected) in [("null", f64::NAN), (r#""-Infinity""#, f64::NEG_INFINITY), ("2", 2.0)] {
            let all: crate::Any = serde_json::from_str(text).unwrap();
            let read = Real::<f64>::deserialize(all.value()).unwrap();
            assert_eq!(read.0.to_bits(), expected.to_bits(), "{text}");
        }
    }
}
