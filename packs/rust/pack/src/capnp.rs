//! Cap'n Proto with the official compiler's code: built in one segment and read in place; packed
//! messages are read from a copy.
//!
//! Readers check each pointer when they follow it, so `access` by itself checks nothing.

use std::hint::black_box;

use capnp::message::{Builder, ReaderOptions, ScratchSpaceHeapAllocator};
use capnp::{serialize, serialize_packed};
use wirelab_pack_runtime::{Aligned, Checksum, Codec, Failure, Phase, whole};

use crate::generated::capnp::{View, build, convert, fold};
use crate::generated::model::Message;

const WORD: usize = 8;
const FIRST_WORDS: usize = 1024;

/// Builds messages in reused memory.
/// The default, 64 levels of pointers, refuses messages that other formats carry.
#[inline]
fn limits() -> ReaderOptions {
    *ReaderOptions::new().nesting_limit(256)
}

struct Maker {
    // It zeroes only what the last message used; a new allocator would zero all of its memory.
    allocator: ScratchSpaceHeapAllocator<'static>,
    memory: Vec<u64>,
    buffer: Vec<u8>,
}

impl Maker {
    fn new() -> Self {
        let mut memory = vec![0; FIRST_WORDS];
        Self { allocator: allocator(&mut memory), memory, buffer: Vec::new() }
    }

    /// Builds a message in one segment and has it written. A message that does not fit is rebuilt
    /// in more memory.
    #[inline]
    fn make(
        &mut self,
        native: &Message,
        write: impl Fn(&mut Vec<u8>, &Builder<&mut ScratchSpaceHeapAllocator<'static>>) -> capnp::Result<()>,
    ) -> Result<&[u8], Failure> {
        loop {
            let mut message = Builder::new(&mut self.allocator);
            build(message.init_root(), native)?;
            let segments = message.get_segments_for_output();
            if segments.len() == 1 {
                self.buffer.clear();
                write(&mut self.buffer, &message)?;
                break;
            }
            let needed: usize = segments.iter().map(|segment| segment.len()).sum();
            drop(message);
            let mut memory = vec![0; (2 * needed).div_ceil(WORD)];
            self.allocator = allocator(&mut memory);
            self.memory = memory;
        }
        Ok(&self.buffer)
    }
}

/// The allocator of a [`Maker`] on this memory.
fn allocator(memory: &mut Vec<u64>) -> ScratchSpaceHeapAllocator<'static> {
    let (start, length) = (memory.as_mut_ptr().cast(), memory.len() * WORD);
    // SAFETY: a maker keeps the vector as long as the allocator and accesses it only through that;
    // moving the vector does not move its items, and their bytes are initialised.
    ScratchSpaceHeapAllocator::new(unsafe { std::slice::from_raw_parts_mut(start, length) })
}

pub struct Plain {
    maker: Maker,
    aligned: Aligned,
}

impl Codec for Plain {
    type Native = Message;
    type Object = ();
    const PHASES: &'static [Phase] =
        &[Phase::Encode, Phase::Access, Phase::Decode, Phase::Convert, Phase::Serialize, Phase::Deserialize];

    fn new() -> Result<Self, Failure> {
        Ok(Self { maker: Maker::new(), aligned: Aligned::default() })
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        self.maker.make(native, |out, message| serialize::write_message(out, message))
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        let mut rest = self.aligned.of(bytes);
        let message = serialize::read_message_from_flat_slice(&mut rest, limits())?;
        whole(rest)?;
        fold(message.get_root::<View<'_>>()?, sum)
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let mut rest = self.aligned.of(bytes);
        let message = serialize::read_message_from_flat_slice(&mut rest, limits())?;
        whole(rest)?;
        convert(message.get_root::<View<'_>>()?)
    }

    #[inline]
    unsafe fn access(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let mut rest = self.aligned.of(bytes);
        let message = serialize::read_message_from_flat_slice(&mut rest, limits())?;
        black_box(message.get_root::<View<'_>>()?);
        Ok(())
    }
}

pub struct Packed {
    maker: Maker,
}

impl Codec for Packed {
    type Native = Message;
    type Object = ();
    const PHASES: &'static [Phase] = Phase::NATIVE;

    fn new() -> Result<Self, Failure> {
        Ok(Self { maker: Maker::new() })
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8], Failure> {
        self.maker.make(native, |out, message| serialize_packed::write_message(out, message))
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        let mut rest = bytes;
        let message = serialize_packed::read_message(&mut rest, limits())?;
        whole(rest)?;
        fold(message.get_root::<View<'_>>()?, sum)
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let mut rest = bytes;
        let message = serialize_packed::read_message(&mut rest, limits())?;
        whole(rest)?;
        convert(message.get_root::<View<'_>>()?)
    }
}
