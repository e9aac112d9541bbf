//! CBOR with cbor4ii: records are maps with text keys, and floats keep their width.

use cbor4ii::core::dec::Read;
use cbor4ii::core::utils::SliceReader;
use cbor4ii::serde::Deserializer;
use serde::Deserialize;
use wirelab_pack_runtime::{Failure, Lend, Serde, whole};

use crate::generated::model::Message;

pub struct Cbor4ii;

impl Serde for Cbor4ii {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        cbor4ii::serde::to_writer(buffer, native)?;
        Ok(())
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        self.read_as(bytes)
    }
}

impl Lend for Cbor4ii {
    #[inline]
    fn read_as<'a, M: Deserialize<'a>>(&mut self, bytes: &'a [u8]) -> Result<M, Failure> {
        let mut deserializer = Deserializer::new(SliceReader::new(bytes));
        let message = M::deserialize(&mut deserializer)?;
        let mut rest = deserializer.into_inner();
        whole(rest.fill(bytes.len())?.as_ref())?;
        Ok(message)
    }
}
