//! Thrift with the official compiler's structs, in the compact or the binary protocol.

use std::marker::PhantomData;

use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol, TInputProtocol,
    TOutputProtocol, TSerializable,
};
use thrift::{TConfiguration, TransportErrorKind};
use wirelab_pack_runtime::{Checksum, Codec, Failure, Phase};

use crate::generated::model::Message;
use crate::generated::thrift::{Root, convert, fold, populate};

/// One of Thrift's protocols.
pub trait Protocol: Send + 'static {
    fn write(object: &Root, buffer: &mut Vec<u8>) -> thrift::Result<()>;
    fn read(bytes: &[u8]) -> Result<Root, Failure>;
}

/// The default, 64 structs within each other, refuses messages that other formats carry.
#[inline]
fn limits() -> thrift::Result<TConfiguration> {
    TConfiguration::builder().max_recursion_depth(Some(256)).build()
}

pub struct Compact;

impl Protocol for Compact {
    #[inline]
    fn write(object: &Root, buffer: &mut Vec<u8>) -> thrift::Result<()> {
        let mut out = TCompactOutputProtocol::with_config(buffer, limits()?);
        object.write_to_out_protocol(&mut out)?;
        out.flush()
    }

    #[inline]
    fn read(bytes: &[u8]) -> Result<Root, Failure> {
        read(&mut TCompactInputProtocol::with_config(bytes, limits()?))
    }
}

pub struct Binary;

impl Protocol for Binary {
    #[inline]
    fn write(object: &Root, buffer: &mut Vec<u8>) -> thrift::Result<()> {
        let mut out = TBinaryOutputProtocol::with_config(buffer, true, limits()?);
        object.write_to_out_protocol(&mut out)?;
        out.flush()
    }

    #[inline]
    fn read(bytes: &[u8]) -> Result<Root, Failure> {
        read(&mut TBinaryInputProtocol::with_config(bytes, true, limits()?))
    }
}

/// The protocol owns the bytes and does not report how far it read, so the input is checked for
/// leftovers.
#[inline]
fn read(from: &mut impl TInputProtocol) -> Result<Root, Failure> {
    let object = Root::read_from_in_protocol(from)?;
    match from.read_byte() {
        Err(thrift::Error::Transport(error)) if error.kind == TransportErrorKind::EndOfFile => Ok(object),
        _ => Err("bytes after the end of the message".into()),
    }
}

pub struct Thrift<P> {
    buffer: Vec<u8>,
    protocol: PhantomData<P>,
}

impl<P: Protocol> Codec for Thrift<P> {
    type Native = Message;
    type Object = Root;
    const PHASES: &'static [Phase] = Phase::WITH_OBJECT;

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
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        fold(&P::read(bytes)?, sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        convert(P::read(bytes)?)
    }
}
