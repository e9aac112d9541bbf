//! JSON with serde_json: compact, keys as in the payload.

use serde::Deserialize;
use wirelab_pack_runtime::{Failure, Lend, Serde};

use crate::generated::model::Message;

pub struct SerdeJson;

impl Serde for SerdeJson {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(serde_json::to_writer(buffer, native)?)
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        self.read_as(bytes)
    }
}

impl Lend for SerdeJson {
    #[inline]
    fn read_as<'a, M: Deserialize<'a>>(&mut self, bytes: &'a [u8]) -> Result<M, Failure> {
        Ok(serde_json::from_slice(bytes)?)
    }
}
