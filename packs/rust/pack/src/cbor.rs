//! CBOR with ciborium: records are maps with text keys.

use wirelab_pack_runtime::{Failure, Serde, whole};

use crate::generated::model::Message;

pub struct Ciborium;

impl Serde for Ciborium {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(ciborium::into_writer(native, buffer)?)
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let mut rest = bytes;
        let message = ciborium::from_reader(&mut rest)?;
        whole(rest)?;
        Ok(message)
    }
}
