//! Thrift with the official compiler's structs, through the compact or the binary protocol.

use std::marker::PhantomData;

use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol, TInputProtocol,
    TOutputProtocol, TSerializable,
};
use wirelab_pack_runtime::{Codec, Failure, Phase, Sum, whole};

use crate::generated::model::Message;
use crate::generated::thrift::{Root, convert, fold, populate};

/// One of Thrift's protocols.
pub trait Protocol: Send + 'static {
    fn write(object: &Root, buffer: &mut Vec<u8>) -> thrift::Result<()>;
    fn read(bytes: &mut &[u8]) -> thrift::Result<Root>;
}

pub struct Compact;

impl Protocol for Compact {
    #[inline]
    fn write(object: &Root, buffer: &mut Vec<u8>) -> thrift::Result<()> {
        let mut out = TCompactOutputProtocol::new(buffer);
        object.write_to_out_protocol(&mut out)?;
        out.flush()
    }

    #[inline]
    fn read(bytes: &mut &[u8]) -> thrift::Result<Root> {
        read(&mut TCompactInputProtocol::new(bytes))
    }
}

pub struct Binary;

impl Protocol for Binary {
    #[inline]
    fn write(object: &Root, buffer: &mut Vec<u8>) -> thrift::Result<()> {
        let mut out = TBinaryOutputProtocol::new(buffer, true);
        object.write_to_out_protocol(&mut out)?;
        out.flush()
    }

    #[inline]
    fn read(bytes: &mut &[u8]) -> thrift::Result<Root> {
        read(&mut TBinaryInputProtocol::new(bytes, true))
    }
}

fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Root> {
    Root::read_from_in_protocol(from)
}

pub struct Thrift<P> {
    buffer: Vec<u8>,
    protocol: PhantomData<P>,
}

impl<P: Protocol> Thrift<P> {
    #[inline]
    fn read(bytes: &[u8]) -> Result<Root, Failure> {
        let mut rest = bytes;
        let object = P::read(&mut rest)?;
        whole(rest)?;
        Ok(object)
    }
}

impl<P: Protocol> Codec for Thrift<P> {
    type Native = Message;
    type Object = Root;
    const PHASES: &'static [Phase] =
        &[Phase::Populate, Phase::Encode, Phase::Decode, Phase::Convert, Phase::Serialize, Phase::Deserialize];

    fn new() -> Result<Self, Failure> {
        Ok(Self { buffer: Vec::new(), protocol: PhantomData })
    }

    #[inline]
    fn populate(&mut self, native: &Message) -> Result<Root, Failure> {
        populate(native)
    }

    #[inline]
    fn encode<'a>(&'a mut self, object: &'a Root) -> Result<&'a [u8], Failure> {
        self.buffer.clear();
        P::write(object, &mut self.buffer)?;
        Ok(&self.buffer)
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        self.buffer.clear();
        P::write(&populate(native)?, &mut self.buffer)?;
        Ok(&self.buffer)
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Sum) -> Result<(), Failure> {
        fold(&Self::read(bytes)?, sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        convert(Self::read(bytes)?)
    }
}
