//! Smile with serde-smile: repeated keys are references to the first.

use serde::Deserialize;
use serde_smile::de::{Deserializer, SliceRead};
use wirelab_pack_runtime::{Failure, Serde};

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
        let mut deserializer = Deserializer::<SliceRead<'_>>::from_slice(bytes);
        let message = Message::deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(message)
    }
}
