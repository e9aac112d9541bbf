//! FlatBuffers with the official crate: the builder writes from native objects, readers work in
//! place.
//!
//! Decoding verifies the buffer first, as the safe API does; `access` by itself does not.

use std::hint::black_box;

use flatbuffers::{FlatBufferBuilder, VerifierOptions};
use wirelab_pack_runtime::{Checksum, Codec, Failure, Phase};

use crate::generated::flatbuffers::{Root, build, convert, fold};
use crate::generated::model::Message;

/// Like [`FlatBuffers`] without verification: for trusted bytes, as C++ and Java programs often do.
pub struct Trusting(FlatBuffers);

impl Codec for Trusting {
    type Native = Message;
    type Object = ();
    const PHASES: &'static [Phase] =
        &[Phase::Encode, Phase::Access, Phase::Decode, Phase::Convert, Phase::Serialize, Phase::Deserialize];

    fn new() -> Result<Self, Failure> {
        Ok(Self(FlatBuffers::new()?))
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        self.0.serialize(native)
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        // SAFETY: only callers that select this codec by name get it, and they guarantee the bytes.
        fold(unsafe { flatbuffers::root_unchecked::<Root<'_>>(bytes) }, sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        // SAFETY: as above.
        convert(unsafe { flatbuffers::root_unchecked::<Root<'_>>(bytes) })
    }

    #[inline]
    unsafe fn access(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        // SAFETY: the caller guarantees that the bytes come from this codec's builder.
        unsafe { self.0.access(bytes) }
    }
}

pub struct FlatBuffers {
    builder: FlatBufferBuilder<'static>,
    limits: VerifierOptions,
}

impl FlatBuffers {
    #[inline]
    fn root<'a>(&self, bytes: &'a [u8]) -> Result<Root<'a>, Failure> {
        Ok(flatbuffers::root_with_opts::<Root<'a>>(&self.limits, bytes)?)
    }
}

impl Codec for FlatBuffers {
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
        // The defaults (64 levels, a million tables) reject messages that other formats carry.
        let limits = VerifierOptions { max_depth: 1_000, max_tables: 10_000_000, ..VerifierOptions::default() };
        Ok(Self { builder: FlatBufferBuilder::new(), limits })
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        self.builder.reset();
        let root = build(&mut self.builder, native);
        self.builder.finish(root, None);
        Ok(self.builder.finished_data())
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        fold(self.root(bytes)?, sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        convert(self.root(bytes)?)
    }

    #[inline]
    fn access_validated(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        black_box(self.root(bytes)?);
        Ok(())
    }

    #[inline]
    unsafe fn access(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        // SAFETY: the caller guarantees that the bytes come from this codec's builder.
        black_box(unsafe { flatbuffers::root_unchecked::<Root<'_>>(bytes) });
        Ok(())
    }
}
