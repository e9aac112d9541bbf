//! Loads a codec pack: a shared library that encodes and decodes one payload in several formats.
//!
//! `docs/contracts/pack.md` specifies packs. Typical use, for instance in a peer:
//!
//! ```no_run
//! # fn main() -> Result<(), wirelab_codec::Error> {
//! let pack = wirelab_codec::Pack::load("libpack.so")?;
//! let corpus = pack.corpus(br#"{"speed":5.0}"#)?;
//! let mut session = corpus.session("protobuf/prost")?;
//! let bytes = session.encode(0)?.to_vec();
//! let checksum = session.decode(&bytes)?;
//! # Ok(()) }
//! ```

pub mod abi;
mod describe;
mod error;
pub mod framing;
mod pack;
mod session;

pub use abi::{Phase, Timing};
pub use describe::{CodecInfo, Description};
pub use error::Error;
pub use pack::{Corpus, Pack};
pub use session::Session;
