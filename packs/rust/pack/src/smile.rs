//! Smile with serde-smile: repeated keys are back-references.

use serde::Deserialize;
use serde_smile::de::{Deserializer, SliceRead};
use wirelab_pack_runtime::{Failure, Lend, Serde};

use crate::generated::model::Message;

pub struct SerdeSmile;

impl Serde for SerdeSmile {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(serde_smile::to_writer(buffer, native)?)
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        self.read_as(bytes)
    }
}

impl Lend for SerdeSmile {
    #[inline]
    fn read_as<'a, M: Deserialize<'a>>(&mut self, bytes: &'a [u8]) -> Result<M, Failure> {
        let mut deserializer = Deserializer::<SliceRead<'_>>::from_slice(bytes);
        let message = M::deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(message)
    }
}
