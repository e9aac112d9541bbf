//! A codec that reuses nothing between messages.

use crate::checksum::Checksum;
use crate::codec::{Codec, Failure, Phase};

/// The codec `C` with new, empty buffers for each message that it writes.
pub struct FreshBuffers<C>(C);

impl<C: Codec> Codec for FreshBuffers<C> {
    type Native = C::Native;
    type Object = C::Object;
    const PHASES: &'static [Phase] = C::PHASES;

    fn new() -> Result<Self, Failure> {
        Ok(Self(C::new()?))
    }

    #[inline]
    fn populate(&mut self, native: &C::Native) -> Result<C::Object, Failure> {
        self.0.populate(native)
    }

    #[inline]
    fn encode<'a>(&'a mut self, object: &'a C::Object) -> Result<&'a [u8], Failure> {
        self.0 = C::new()?;
        self.0.encode(object)
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a C::Native) -> Result<&'a [u8], Failure> {
        self.0 = C::new()?;
        self.0.serialize(native)
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        self.0.decode(bytes, sum)
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<C::Native, Failure> {
        self.0.convert(bytes)
    }

    #[inline]
    fn access_validated(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.0.access_validated(bytes)
    }

    #[inline]
    unsafe fn access(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        // SAFETY: the caller guarantees the bytes, as this function requires.
        unsafe { self.0.access(bytes) }
    }
}
