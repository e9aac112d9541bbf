//! CBOR with minicbor: records are maps with text keys, floats keep their width.

use minicbor_serde::{Deserializer, Serializer};
use serde::{Deserialize, Serialize};
use wirelab_pack_runtime::{Failure, Serde, whole};

use crate::generated::model::Message;

pub struct Minicbor;

impl Serde for Minicbor {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        native.serialize(&mut Serializer::new(buffer))?;
        Ok(())
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let mut deserializer = Deserializer::new(bytes);
        let message = Message::deserialize(&mut deserializer)?;
        whole(&bytes[deserializer.decoder().position()..])?;
        Ok(message)
    }
}
