//! bitcode with its derive macros: values of the same field are stored together, each packed as
//! narrowly as its values allow.

use bitcode::Buffer;
use wirelab_pack_runtime::{Checksum, Codec, Failure, Fold, Phase};

use crate::generated::model::Message;

pub struct Bitcode {
    buffer: Buffer,
}

impl Codec for Bitcode {
    type Native = Message;
    type Object = ();
    const PHASES: &'static [Phase] = Phase::NATIVE;

    fn new() -> Result<Self, Failure> {
        Ok(Self { buffer: Buffer::new() })
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        Ok(self.buffer.encode(native))
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        self.convert(bytes)?.fold(sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        Ok(self.buffer.decode(bytes)?)
    }
}
