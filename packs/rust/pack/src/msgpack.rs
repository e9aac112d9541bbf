//! MessagePack with rmp-serde: records are maps with text keys.

use rmp_serde::Deserializer;
use rmp_serde::decode::Error;
use serde::Deserialize;
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
        Ok(rmp_serde::encode::write_named(buffer, native)?)
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let mut deserializer = Deserializer::from_read_ref(bytes);
        let message = Message::deserialize(&mut deserializer)?;
        // Reading from a slice is fastest, but the library does not report how far it read, so the
        // input is checked for a further value.
        match bool::deserialize(&mut deserializer) {
            Err(Error::InvalidMarkerRead(_)) => Ok(message),
            _ => Err("bytes after the end of the message".into()),
        }
    }
}
