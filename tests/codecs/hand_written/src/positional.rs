//! Formats without names whose code is derived for the application's own messages.

use rkyv::rancor::Error;
use rkyv::util::AlignedVec;
use serde_avro_fast::Schema;
use serde_avro_fast::ser::SerializerConfig;

use crate::codec::{Codec, Failure};
use crate::message::Positional;

pub struct SerdeAvroFast {
    schema: &'static Schema,
    config: SerializerConfig<'static>,
    buffer: Vec<u8>,
}

impl Codec for SerdeAvroFast {
    type Message = Positional;

    fn new() -> Result<Self, Failure> {
        let schema: Schema = include_str!(concat!(env!("BY_HAND_SCHEMAS"), "/schema.avsc")).parse()?;
        let schema = Box::leak(Box::new(schema));
        Ok(Self { schema, config: SerializerConfig::new(schema), buffer: Vec::new() })
    }

    #[inline]
    fn serialize(&mut self, message: &Positional) -> Result<&[u8], Failure> {
        self.buffer.clear();
        serde_avro_fast::to_datum(message, &mut self.buffer, &mut self.config)?;
        Ok(&self.buffer)
    }

    #[inline]
    fn deserialize(&mut self, bytes: &[u8]) -> Result<Positional, Failure> {
        Ok(serde_avro_fast::from_datum_slice(bytes, self.schema)?)
    }
}

pub struct Postcard(Vec<u8>);

impl Codec for Postcard {
    type Message = Positional;

    fn new() -> Result<Self, Failure> {
        Ok(Self(Vec::new()))
    }

    #[inline]
    fn serialize(&mut self, message: &Positional) -> Result<&[u8], Failure> {
        self.0.clear();
        self.0 = postcard::to_extend(message, std::mem::take(&mut self.0))?;
        Ok(&self.0)
    }

    #[inline]
    fn deserialize(&mut self, bytes: &[u8]) -> Result<Positional, Failure> {
        Ok(postcard::from_bytes(bytes)?)
    }
}

pub struct Bitcode(bitcode::Buffer);

impl Codec for Bitcode {
    type Message = Positional;

    fn new() -> Result<Self, Failure> {
        Ok(Self(bitcode::Buffer::new()))
    }

    #[inline]
    fn serialize(&mut self, message: &Positional) -> Result<&[u8], Failure> {
        Ok(self.0.encode(message))
    }

    #[inline]
    fn deserialize(&mut self, bytes: &[u8]) -> Result<Positional, Failure> {
        Ok(self.0.decode(bytes)?)
    }
}

pub struct Rkyv(AlignedVec);

impl Codec for Rkyv {
    type Message = Positional;

    fn new() -> Result<Self, Failure> {
        Ok(Self(AlignedVec::new()))
    }

    #[inline]
    fn serialize(&mut self, message: &Positional) -> Result<&[u8], Failure> {
        let mut buffer = std::mem::take(&mut self.0);
        buffer.clear();
        self.0 = rkyv::api::high::to_bytes_in::<_, Error>(message, buffer)?;
        Ok(&self.0)
    }

    #[inline]
    fn deserialize(&mut self, bytes: &[u8]) -> Result<Positional, Failure> {
        Ok(rkyv::from_bytes::<Positional, Error>(bytes)?)
    }
}
