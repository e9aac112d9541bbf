//! Protobuf with prost: the library has its own structs, so populate and encode are separate
//! phases.

#[allow(dead_code)] // used for schemas with such values
pub mod free;

use prost::Message as _;
use wirelab_pack_runtime::{Checksum, Codec, Failure, Fold, Phase};

use crate::generated::model::Message;
use crate::generated::protobuf::{Root, convert, populate};

pub struct Prost {
    buffer: Vec<u8>,
}

impl Codec for Prost {
    type Native = Message;
    type Object = Root;
    const PHASES: &'static [Phase] = Phase::WITH_OBJECT;

    fn new() -> Result<Self, Failure> {
        Ok(Self { buffer: Vec::new() })
    }

    #[inline]
    fn populate(&mut self, native: &Message) -> Result<Root, Failure> {
        Ok(populate(native))
    }

    #[inline]
    fn encode<'a>(&'a mut self, object: &'a Root) -> Result<&'a [u8], Failure> {
        self.buffer.clear();
        object.encode(&mut self.buffer)?;
        Ok(&self.buffer)
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        self.buffer.clear();
        populate(native).encode(&mut self.buffer)?;
        Ok(&self.buffer)
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        Root::decode(bytes)?.fold(sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        convert(Root::decode(bytes)?)
    }
}
