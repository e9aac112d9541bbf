//! Protobuf with Google's crate, whose messages are those of upb, a C library. It returns a new
//! buffer each time.

use protobuf::{Parse, Serialize};
use wirelab_pack_runtime::{Checksum, Codec, Failure, Phase};

use crate::generated::model::Message;
use crate::generated::upb::{Root, build, convert, fold};

pub struct Upb {
    buffer: Vec<u8>,
}

impl Codec for Upb {
    type Native = Message;
    type Object = Root;
    const PHASES: &'static [Phase] = Phase::WITH_OBJECT;

    fn new() -> Result<Self, Failure> {
        Ok(Self { buffer: Vec::new() })
    }

    #[inline]
    fn populate(&mut self, native: &Message) -> Result<Root, Failure> {
        let mut root = Root::new();
        build(root.as_mut(), native)?;
        Ok(root)
    }

    #[inline]
    fn encode<'a>(&'a mut self, object: &'a Root) -> Result<&'a [u8], Failure> {
        self.buffer = object.serialize()?;
        Ok(&self.buffer)
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        self.buffer = self.populate(native)?.serialize()?;
        Ok(&self.buffer)
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        fold(Root::parse(bytes)?.as_view(), sum)
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        convert(Root::parse(bytes)?.as_view())
    }
}
