//! The interface of a codec: how one library converts between native objects and bytes.

use std::error::Error;
use std::io::BufRead;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::checksum::{Checksum, Fold};

/// Why a codec failed; shown to the user.
pub type Failure = Box<dyn Error + Send + Sync>;

/// A phase of a codec; the numbers are those of `wirelab_pack.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Native object to library object.
    Populate = 0,
    /// Library object to bytes.
    Encode = 1,
    /// Bytes to a readable view, without validation.
    Access = 2,
    /// Bytes to a readable view, with validation.
    AccessValidated = 3,
    /// Bytes to every field read.
    Decode = 4,
    /// Bytes to native object.
    Convert = 5,
    /// Native object to bytes.
    Serialize = 6,
    /// Bytes to every field read, as a receiver does it.
    Deserialize = 7,
}

impl Phase {
    /// The phases of a codec that encodes native objects directly.
    pub const NATIVE: &'static [Self] =
        &[Self::Encode, Self::Decode, Self::Convert, Self::Serialize, Self::Deserialize];
    /// The phases of a codec whose library has its own message objects.
    pub const WITH_OBJECT: &'static [Self] =
        &[Self::Populate, Self::Encode, Self::Decode, Self::Convert, Self::Serialize, Self::Deserialize];

    /// The phase with this ABI number.
    pub fn from_number(number: u32) -> Option<Self> {
        use Phase::*;
        [Populate, Encode, Access, AccessValidated, Decode, Convert, Serialize, Deserialize]
            .into_iter()
            .find(|phase| *phase as u32 == number)
    }
}

/// One library's implementation of a format for one schema. It owns its reusable buffers.
pub trait Codec: Sized + Send + 'static {
    /// The application's message object.
    type Native: Fold + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// The library's message object; `()` if the library accepts the native one.
    type Object: Send + 'static;
    /// The phases that this codec supports.
    const PHASES: &'static [Phase];

    /// A codec with empty buffers.
    fn new() -> Result<Self, Failure>;

    /// Refuses a message that the library would write wrongly without an error. Not timed: it is
    /// called once per message.
    fn check(_native: &Self::Native) -> Result<(), Failure> {
        Ok(())
    }

    /// Builds the library's object from the native one.
    fn populate(&mut self, _native: &Self::Native) -> Result<Self::Object, Failure> {
        Err("this codec has no populate phase".into())
    }

    /// Writes the library's object into the reused buffer.
    fn encode<'a>(&'a mut self, _object: &'a Self::Object) -> Result<&'a [u8], Failure> {
        Err("this codec encodes native objects".into())
    }

    /// Writes the native object into the reused buffer: populate and encode together.
    fn serialize<'a>(&'a mut self, native: &'a Self::Native) -> Result<&'a [u8], Failure>;

    /// Reads every field of one complete message.
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure>;

    /// Builds the native object from one complete message.
    fn convert(&mut self, bytes: &[u8]) -> Result<Self::Native, Failure>;

    /// Makes bytes readable after validation.
    fn access_validated(&mut self, _bytes: &[u8]) -> Result<(), Failure> {
        Err("this codec has no access phase".into())
    }

    /// Makes bytes readable without validation.
    ///
    /// # Safety
    /// The bytes must come from this codec's own encoder.
    unsafe fn access(&mut self, _bytes: &[u8]) -> Result<(), Failure> {
        Err("this codec has no access phase".into())
    }
}

/// A library that accepts native objects through serde.
pub trait Serde: Send + Sized + 'static {
    /// The application's message object.
    type Native: Fold + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The library with its reusable state.
    fn new() -> Result<Self, Failure>;
    /// Appends one message to the cleared buffer.
    fn write(&mut self, native: &Self::Native, buffer: &mut Vec<u8>) -> Result<(), Failure>;
    /// Reads one complete message; leftover bytes are an error.
    fn read(&mut self, bytes: &[u8]) -> Result<Self::Native, Failure>;
}

/// The codec of a serde library. Decoding builds the native object and reads it.
pub struct SerdeCodec<S> {
    pub(crate) library: S,
    buffer: Vec<u8>,
}

impl<S: Serde> Codec for SerdeCodec<S> {
    type Native = S::Native;
    type Object = ();
    const PHASES: &'static [Phase] = Phase::NATIVE;

    fn new() -> Result<Self, Failure> {
        Ok(Self { library: S::new()?, buffer: Vec::new() })
    }

    #[inline]
    fn serialize<'a>(&'a mut self, native: &'a Self::Native) -> Result<&'a [u8], Failure> {
        self.buffer.clear();
        self.library.write(native, &mut self.buffer)?;
        Ok(&self.buffer)
    }

    #[inline]
    fn decode(&mut self, bytes: &[u8], sum: &mut Checksum) -> Result<(), Failure> {
        self.library.read(bytes)?.fold(sum);
        Ok(())
    }

    #[inline]
    fn convert(&mut self, bytes: &[u8]) -> Result<Self::Native, Failure> {
        self.library.read(bytes)
    }
}

/// Rejects leftover bytes after a message.
///
/// # Errors
/// Reports how many bytes are left.
#[inline]
pub fn whole(mut rest: impl BufRead) -> Result<(), Failure> {
    match rest.fill_buf()?.len() {
        0 => Ok(()),
        left => Err(format!("{left} bytes after the end of the message").into()),
    }
}

/// Whether a serializer or deserializer type has this path.
///
/// serde tells a value nothing about its format except whether it is human-readable. The type name
/// is a constant, so this test is optimised away.
#[inline(always)]
fn is_of<S>(path: &str) -> bool {
    let name = std::any::type_name::<S>();
    name.strip_prefix("&mut ").unwrap_or(name).starts_with(path)
}

/// Whether a serializer or deserializer is Avro's, which claims to be human-readable.
#[inline(always)]
pub(crate) fn is_avro<S>() -> bool {
    is_of::<S>("serde_avro_fast::")
}

/// Whether a format writes timestamps and bytes as text.
#[inline(always)]
pub(crate) fn is_text<S>(is_human_readable: bool) -> bool {
    is_human_readable && !is_avro::<S>()
}

/// Whether a format has no integers above 2^63-1, and stores the signed integer with the same 64
/// bits.
#[inline(always)]
pub fn is_signed_only<S>() -> bool {
    is_avro::<S>() || is_bson::<S>()
}

/// Whether a serializer or deserializer is that of serde_json, which can keep the text of a number.
#[inline(always)]
pub(crate) fn is_serde_json<S>() -> bool {
    is_of::<S>("serde_json::ser::") || is_of::<S>("serde_json::de::")
}

/// Whether a serializer or deserializer is that of a JSON library.
#[inline(always)]
pub(crate) fn is_json<S>() -> bool {
    is_serde_json::<S>() || is_of::<S>("sonic_rs::")
}

/// Whether a serializer writes the JSON of a corpus, not that of a codec.
#[inline(always)]
pub(crate) fn is_corpus<S>() -> bool {
    is_serde_json::<S>() && std::any::type_name::<S>().contains("wirelab_pack_runtime::corpus::")
}

/// Whether a serializer or deserializer is that of ciborium, which has tags.
#[inline(always)]
pub(crate) fn is_ciborium<S>() -> bool {
    is_of::<S>("ciborium::")
}

/// Whether a serializer or deserializer is that of Ion, which reads integers of unknown width as
/// i64.
#[inline(always)]
pub(crate) fn is_ion<S>() -> bool {
    is_of::<S>("ion_rs::")
}

/// Whether a serializer or deserializer is that of BSON.
#[inline(always)]
pub(crate) fn is_bson<S>() -> bool {
    is_of::<S>("bson::")
}

/// Whether a format without names writes absence and null as two flags.
#[inline(always)]
pub(crate) fn nests_options<S>() -> bool {
    is_of::<S>("postcard::")
}

/// Whether a format without names writes absence and null as one flag.
#[inline(always)]
pub(crate) fn flattens_options<S>() -> bool {
    is_of::<S>("wirelab_pack::xdr::")
}

/// Whether a value is read from memory, where unsigned integers may be those of BSON or Avro.
#[inline(always)]
pub(crate) fn is_buffered<S>() -> bool {
    is_of::<S>("&wirelab_pack_runtime::unions::")
}

/// Whether a format is XML, whose values are text of any type.
#[inline(always)]
pub(crate) fn is_xml<S>() -> bool {
    is_of::<S>("wirelab_pack::xml::")
}

/// Whether this serializer's format has a slot for every field of a record, present or not. Avro's
/// library accepts an omitted field, but then buffers all fields after it.
#[inline(always)]
pub fn needs_every_field<S>() -> bool {
    is_avro::<S>() || nests_options::<S>() || flattens_options::<S>()
}
