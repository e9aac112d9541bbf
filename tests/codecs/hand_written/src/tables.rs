//! Libraries with objects of their own, which their compilers write: filled from the application's
//! messages and read back.

use capnp::message::{Builder, ReaderOptions, ScratchSpaceHeapAllocator};
use capnp::{serialize, serialize_packed};
use flatbuffers::FlatBufferBuilder;
use prost::Message as _;
use protobuf::{Parse, Serialize};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol, TOutputProtocol,
    TSerializable,
};

use crate::codec::{Codec, Failure};
use crate::convert::HeldAs;
use crate::message::VehicleStatus;
use crate::schemas::{self, structs_capnp::vehicle_status};
use crate::uper_schema;

/// The rest of a codec that is but a buffer.
macro_rules! buffered {
    ($name:ident, $serialize:item $deserialize:item) => {
        pub struct $name(Vec<u8>);

        impl Codec for $name {
            type Message = VehicleStatus;

            fn new() -> Result<Self, Failure> {
                Ok(Self(Vec::new()))
            }

            #[inline]
            $serialize

            #[inline]
            $deserialize
        }
    };
}

buffered! {
    Prost,
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        self.0.clear();
        HeldAs::<schemas::prost::VehicleStatus>::theirs(message).encode(&mut self.0)?;
        Ok(&self.0)
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        Ok(HeldAs::ours(schemas::prost::VehicleStatus::decode(bytes)?))
    }
}

buffered! {
    Upb,
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        let mut out = schemas::structs_proto::VehicleStatus::new();
        message.fill(out.as_mut());
        self.0 = out.serialize()?;
        Ok(&self.0)
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        Ok(VehicleStatus::of(schemas::structs_proto::VehicleStatus::parse(bytes)?.as_view())?)
    }
}

buffered! {
    Compact,
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        self.0.clear();
        let mut out = TCompactOutputProtocol::new(&mut self.0);
        HeldAs::<schemas::thrift::VehicleStatus>::theirs(message).write_to_out_protocol(&mut out)?;
        out.flush()?;
        Ok(&self.0)
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        let mut from = TCompactInputProtocol::new(bytes);
        Ok(HeldAs::ours(schemas::thrift::VehicleStatus::read_from_in_protocol(&mut from)?))
    }
}

buffered! {
    Binary,
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        self.0.clear();
        let mut out = TBinaryOutputProtocol::new(&mut self.0, true);
        HeldAs::<schemas::thrift::VehicleStatus>::theirs(message).write_to_out_protocol(&mut out)?;
        out.flush()?;
        Ok(&self.0)
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        let mut from = TBinaryInputProtocol::new(bytes, true);
        Ok(HeldAs::ours(schemas::thrift::VehicleStatus::read_from_in_protocol(&mut from)?))
    }
}

buffered! {
    Uper,
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        self.0.clear();
        rasn::uper::encode_buf(&HeldAs::<uper_schema::VehicleStatus>::theirs(message), &mut self.0)
            .map_err(|error| error.to_string())?;
        Ok(&self.0)
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        let read = rasn::uper::decode::<uper_schema::VehicleStatus>(bytes).map_err(|error| error.to_string())?;
        Ok(HeldAs::ours(read))
    }
}

pub struct FlatBuffers(FlatBufferBuilder<'static>);

impl Codec for FlatBuffers {
    type Message = VehicleStatus;

    fn new() -> Result<Self, Failure> {
        Ok(Self(FlatBufferBuilder::new()))
    }

    #[inline]
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        self.0.reset();
        let root = message.create(&mut self.0);
        self.0.finish(root, None);
        Ok(self.0.finished_data())
    }

    #[inline]
    fn deserialize(&mut self, bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        Ok(schemas::flatbuffers::root_as_vehicle_status(bytes)?.into())
    }
}

/// Memory to build messages in, enough for one and used for each, and the bytes written.
struct Space {
    scratch: ScratchSpaceHeapAllocator<'static>,
    buffer: Vec<u8>,
}

impl Space {
    fn new() -> Self {
        let memory = vec![0; 64 << 10].leak();
        Self { scratch: ScratchSpaceHeapAllocator::new(memory), buffer: Vec::new() }
    }
}

pub struct CapnProto(Space);

impl Codec for CapnProto {
    type Message = VehicleStatus;

    fn new() -> Result<Self, Failure> {
        Ok(Self(Space::new()))
    }

    #[inline]
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        let Space { scratch, buffer } = &mut self.0;
        let mut out = Builder::new(scratch);
        message.write(out.init_root());
        buffer.clear();
        serialize::write_message(&mut *buffer, &out)?;
        Ok(buffer)
    }

    #[inline]
    fn deserialize(&mut self, mut bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        let from = serialize::read_message_from_flat_slice(&mut bytes, ReaderOptions::new())?;
        Ok(VehicleStatus::read(from.get_root::<vehicle_status::Reader<'_>>()?)?)
    }
}

pub struct Packed(Space);

impl Codec for Packed {
    type Message = VehicleStatus;

    fn new() -> Result<Self, Failure> {
        Ok(Self(Space::new()))
    }

    #[inline]
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        let Space { scratch, buffer } = &mut self.0;
        let mut out = Builder::new(scratch);
        message.write(out.init_root());
        buffer.clear();
        serialize_packed::write_message(&mut *buffer, &out)?;
        Ok(buffer)
    }

    #[inline]
    fn deserialize(&mut self, bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        let from = serialize_packed::read_message(bytes, ReaderOptions::new())?;
        Ok(VehicleStatus::read(from.get_root::<vehicle_status::Reader<'_>>()?)?)
    }
}
