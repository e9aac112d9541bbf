//! Avro with serde_avro_fast: one datum without a header; both sides have the schema.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_avro_fast::Schema;
use serde_avro_fast::de::read::SliceRead;
use serde_avro_fast::de::{DeserializerConfig, DeserializerState};
use serde_avro_fast::ser::SerializerConfig;
use wirelab_pack_runtime::{Failure, Lend, Serde, whole};

use crate::generated::model::Message;

/// The default, 64, refuses messages that other formats carry.
const MAX_DEPTH: usize = 256;

static SCHEMA: LazyLock<Result<Schema, String>> = LazyLock::new(|| {
    let text = include_str!("generated/schema.avsc");
    text.parse().map_err(|error| format!("the Avro schema of this pack: {error}"))
});

pub struct SerdeAvroFast {
    schema: &'static Schema,
    config: SerializerConfig<'static>,
}

impl Serde for SerdeAvroFast {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        let schema = SCHEMA.as_ref().map_err(String::as_str)?;
        Ok(Self { schema, config: SerializerConfig::new(schema) })
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        serde_avro_fast::to_datum(native, buffer, &mut self.config)?;
        Ok(())
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        self.read_as(bytes)
    }
}

impl Lend for SerdeAvroFast {
    #[inline]
    fn read_as<'a, M: Deserialize<'a>>(&mut self, bytes: &'a [u8]) -> Result<M, Failure> {
        let mut limits = DeserializerConfig::new(self.schema);
        limits.allowed_depth = MAX_DEPTH;
        let mut state = DeserializerState::with_config(SliceRead::new(bytes), limits);
        let message = M::deserialize(state.deserializer())?;
        whole(state.into_reader())?;
        Ok(message)
    }
}
