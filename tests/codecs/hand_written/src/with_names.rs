//! Formats that write the names of fields, through serde.

use std::fmt::{self, Write};

use flexbuffers::{FlexbufferSerializer, Reader};
use serde::{Deserialize, Serialize};

use crate::codec::{Codec, Failure};
use crate::message::VehicleStatus;

/// A library that is two functions: one appends to the cleared buffer, one reads.
macro_rules! codec {
    ($name:ident, |$message:ident, $buffer:ident| $write:expr, |$bytes:ident| $read:expr) => {
        pub struct $name(Vec<u8>);

        impl Codec for $name {
            type Message = VehicleStatus;

            fn new() -> Result<Self, Failure> {
                Ok(Self(Vec::new()))
            }

            #[inline]
            fn serialize(&mut self, $message: &VehicleStatus) -> Result<&[u8], Failure> {
                let $buffer = &mut self.0;
                $buffer.clear();
                $write;
                Ok(&self.0)
            }

            #[inline]
            fn deserialize(&mut self, $bytes: &[u8]) -> Result<VehicleStatus, Failure> {
                Ok($read)
            }
        }
    };
}

codec!(SerdeJson, |message, buffer| serde_json::to_writer(buffer, message)?, |bytes| serde_json::from_slice(bytes)?);
codec!(SonicRs, |message, buffer| sonic_rs::to_writer(buffer, message)?, |bytes| sonic_rs::from_slice(bytes)?);
codec!(Ciborium, |message, buffer| ciborium::into_writer(message, buffer)?, |bytes| ciborium::from_reader(bytes)?);
codec!(Cbor4ii, |message, buffer| cbor4ii::serde::to_writer(buffer, message)?, |bytes| cbor4ii::serde::from_slice(
    bytes
)?);
codec!(RmpSerde, |message, buffer| rmp_serde::encode::write_named(buffer, message)?, |bytes| rmp_serde::from_slice(
    bytes
)?);
codec!(Bson, |message, buffer| bson::serialize_to_buffer(message, buffer)?, |bytes| bson::deserialize_from_slice(
    bytes
)?);
codec!(SerdeSmile, |message, buffer| serde_smile::to_writer(buffer, message)?, |bytes| serde_smile::from_slice(bytes)?);
codec!(SerdeSaphyr, |message, buffer| serde_saphyr::to_fmt_writer(&mut Text(buffer), message)?, |bytes| {
    serde_saphyr::from_slice(bytes)?
});
// This library gives a new buffer each time.
codec!(IonRs, |message, buffer| *buffer = ion_rs::serde::to_binary(message)?, |bytes| ion_rs::serde::from_ion(bytes)?);

struct Text<'a>(&'a mut Vec<u8>);

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

pub struct FlexBuffers(FlexbufferSerializer);

impl Codec for FlexBuffers {
    type Message = VehicleStatus;

    fn new() -> Result<Self, Failure> {
        Ok(Self(FlexbufferSerializer::new()))
    }

    #[inline]
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        self.0.reset();
        message.serialize(&mut self.0)?;
        Ok(self.0.view())
    }

    #[inline]
    fn deserialize(&mut self, bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        Ok(VehicleStatus::deserialize(Reader::get_root(bytes)?)?)
    }
}
