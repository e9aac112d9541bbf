//! YAML with serde-saphyr: block style, keys as in the payload.

use std::fmt::{self, Write};

use serde_saphyr::NonFiniteFloatPolicy;
use wirelab_pack_runtime::{Failure, Serde};

use crate::generated::model::Message;

struct Text<'a>(&'a mut Vec<u8>);

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

pub struct SerdeSaphyr;

impl Serde for SerdeSaphyr {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(serde_saphyr::to_fmt_writer(&mut Text(buffer), native)?)
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        // YAML has NaN and infinities (.nan, .inf), also where only the value tells the type.
        let options = serde_saphyr::options! {
            non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        };
        Ok(serde_saphyr::from_slice_with_options(bytes, options)?)
    }
}
