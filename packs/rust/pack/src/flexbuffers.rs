//! FlexBuffers with the official crate: schemaless, keys in the message, read in place by binary
//! search of the keys.

use flexbuffers::{FlexbufferSerializer, Reader};
use serde::{Deserialize, Serialize};
use wirelab_pack_runtime::{Checksum, Codec, Failure, Fold, Phase, refuse_nul_in_keys};

use crate::generated::model::Message;

pub struct FlexBuffers {
    serializer: FlexbufferSerializer,
}

impl Codec for FlexBuffers {
    type Native = Message;
    type Object = ();
    const PHASES: &'static [Phase] = Phase::NATIVE;

    fn new() -> Result<Self, Failure> {
        Ok(Self { serializer: FlexbufferSerializer::new() })
    }

    fn check(native: &Message) -> Result<(), Failure> {
        refuse_nul_in_keys(native, "FlexBuffers")
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        self.serializer.reset();
        native.serialize(&mut self.serializer)?;
        Ok(self.serializer.view())
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        self.convert(bytes)?.fold(sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        Ok(Message::deserialize(Reader::get_root(bytes)?)?)
    }
}
