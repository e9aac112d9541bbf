//! MessagePack with rmp-serde: records are maps with text keys.

use std::io::Cursor;

use rmp_serde::Serializer;
use serde::{Deserialize, Serialize};
use wirelab_pack_runtime::{Failure, Serde};

use crate::generated::model::Message;

pub struct RmpSerde;

impl Serde for RmpSerde {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(native.serialize(&mut Serializer::new(buffer).with_struct_map())?)
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let mut deserializer = rmp_serde::Deserializer::new(Cursor::new(bytes));
        let message = Message::deserialize(&mut deserializer)?;
        match bytes.len() as u64 - deserializer.position() {
            0 => Ok(message),
            left => Err(format!("{left} bytes after the end of the message").into()),
        }
    }
}
