//! Postcard: fields in the order of the schema, varints, no names.

use serde::Deserialize;
use wirelab_pack_runtime::{Failure, Lend, Serde, whole};

use crate::generated::model::Message;

pub struct Postcard;

impl Serde for Postcard {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        *buffer = postcard::to_extend(native, std::mem::take(buffer))?;
        Ok(())
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        self.read_as(bytes)
    }
}

impl Lend for Postcard {
    #[inline]
    fn read_as<'a, M: Deserialize<'a>>(&mut self, bytes: &'a [u8]) -> Result<M, Failure> {
        let (message, rest) = postcard::take_from_bytes(bytes)?;
        whole(rest)?;
        Ok(message)
    }
}
