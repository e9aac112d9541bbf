//! rkyv: the in-memory layout of the native object, read in place. Decoding validates first, as the
//! safe API does; `access` by itself does not.

use std::hint::black_box;
use std::num::NonZeroUsize;

use rkyv::Archived;
use rkyv::api::access_with_context;
use rkyv::rancor::Error;
use rkyv::util::AlignedVec;
use rkyv::validation::Validator;
use rkyv::validation::archive::ArchiveValidator;
use rkyv::validation::shared::SharedValidator;
use wirelab_pack_runtime::{Aligned, Checksum, Codec, Failure, Fold, Phase};

use crate::generated::model::Message;

pub struct Rkyv {
    buffer: AlignedVec,
    aligned: Aligned,
}

/// Levels of pointers; the library has no bound of its own.
const MAX_DEPTH: Option<NonZeroUsize> = NonZeroUsize::new(1_000);

#[inline]
fn archived(bytes: &[u8]) -> Result<&Archived<Message>, Error> {
    let limits = ArchiveValidator::with_max_depth(bytes, MAX_DEPTH);
    access_with_context::<Archived<Message>, _, Error>(bytes, &mut Validator::new(limits, SharedValidator::new()))
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
        archived(self.aligned.of(bytes))?.fold(sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        Ok(rkyv::deserialize::<Message, Error>(archived(self.aligned.of(bytes))?)?)
    }

    #[inline]
    fn access_validated(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        black_box(archived(self.aligned.of(bytes))?);
        Ok(())
    }

    #[inline]
    unsafe fn access(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        // SAFETY: the caller guarantees that the bytes come from this codec's serializer.
        black_box(unsafe { rkyv::access_unchecked::<Archived<Message>>(self.aligned.of(bytes)) });
        Ok(())
    }
}
