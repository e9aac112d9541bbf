//! The payload's bytes unchanged, for payloads that are one string.

use wirelab_pack_runtime::{Checksum, Codec, Failure, Phase};

use crate::generated::model::Message;

pub struct Raw;

impl Codec for Raw {
    type Native = Message;
    type Object = ();
    const PHASES: &'static [Phase] = Phase::NATIVE;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        Ok(native.as_bytes())
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        sum.bytes(std::str::from_utf8(bytes)?.as_bytes());
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        Ok(std::str::from_utf8(bytes)?.to_owned())
    }
}
