//! Decoding without copying strings: they borrow from the message.

use std::borrow::Cow;
use std::fmt::{self, Formatter};
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::checksum::{Checksum, Fold};
use crate::codec::{Codec, Failure, Phase, Serde, SerdeCodec};

/// A string borrowed from the message, or a copy if its bytes there differ (escapes in JSON).
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text<'a>(Cow<'a, str>);

impl Fold for Text<'_> {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.bytes(self.0.as_bytes());
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    #[inline]
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    #[inline]
    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

/// The type of a message whose strings borrow from its bytes.
pub trait View: Send + 'static {
    /// The message.
    type Of<'a>: Deserialize<'a> + Fold;
}

/// A serde library that can borrow strings.
pub trait Lend: Serde {
    /// Reads one complete message; leftover bytes are an error.
    fn read_as<'a, M: Deserialize<'a>>(&mut self, bytes: &'a [u8]) -> Result<M, Failure>;
}

/// The codec of a serde library that decodes fields without copying strings. Native objects own
/// their strings, so `convert` copies them.
pub struct Borrowing<S, V> {
    codec: SerdeCodec<S>,
    view: PhantomData<V>,
}

impl<S: Lend, V: View> Codec for Borrowing<S, V> {
    type Native = S::Native;
    type Object = ();
    const PHASES: &'static [Phase] = SerdeCodec::<S>::PHASES;

    fn new() -> Result<Self, Failure> {
        Ok(Self { codec: SerdeCodec::new()?, view: PhantomData })
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a S::Native) -> Result<&'a [u8], Failure> {
        self.codec.serialize(native)
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        self.codec.library.read_as::<V::Of<'_>>(bytes)?.fold(sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<S::Native, Failure> {
        self.codec.convert(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_lies_in_its_message_unless_it_is_escaped_there() {
        let message = r#"["plain","a\nb"]"#;
        let read: Vec<Text<'_>> = serde_json::from_str(message).unwrap();
        assert!(matches!(read[0].0, Cow::Borrowed(text) if text.as_ptr() == message[2..].as_ptr()));
        assert!(matches!(&read[1].0, Cow::Owned(text) if text == "a\nb"));
    }
}
