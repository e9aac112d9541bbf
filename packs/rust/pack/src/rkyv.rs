//! rkyv: the in-memory layout of the native object, read in place. Decoding validates first, as the
//! safe API does; `access` by itself does not.

use std::hint::black_box;

use rkyv::Archived;
use rkyv::rancor::Error;
use rkyv::util::AlignedVec;
use wirelab_pack_runtime::{Aligned, Checksum, Codec, Failure, Fold, Phase};

use crate::generated::model::Message;

pub struct Rkyv {
    buffer: AlignedVec,
    aligned: Aligned,
}

impl Codec for Rkyv {
    type Native = Message;
    type Object = ();
    const PHASES: &'static [Phase] = &[
        Phase::Encode,
        Phase::Access,
        Phase::AccessValidated,
        Phase::Decode,
        Phase::Convert,
        Phase::Serialize,
        Phase::Deserialize,
    ];

    fn new() -> Result<Self, Failure> {
        Ok(Self { buffer: AlignedVec::new(), aligned: Aligned::default() })
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.buffer = rkyv::api::high::to_bytes_in::<_, Error>(native, buffer)?;
        Ok(&self.buffer)
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        rkyv::access::<Archived<Message>, Error>(self.aligned.of(bytes))?.fold(sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let archived = rkyv::access::<Archived<Message>, Error>(self.aligned.of(bytes))?;
        Ok(rkyv::deserialize::<Message, Error>(archived)?)
    }

    #[inline]
    fn access_validated(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        black_box(rkyv::access::<Archived<Message>, Error>(self.aligned.of(bytes))?);
        Ok(())
    }

    #[inline]
    unsafe fn access(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        // SAFETY: the caller guarantees that the bytes come from this codec's serializer.
        black_box(unsafe { rkyv::access_unchecked::<Archived<Message>>(self.aligned.of(bytes)) });
        Ok(())
    }
}
