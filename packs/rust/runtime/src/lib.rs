//! What every generated Rust codec pack shares: the C ABI, the timed loops, the checksum and the corpus.
//!
//! A generated crate defines its native message type, one [`Codec`] per library, and calls
//! [`export_pack!`] once. Everything else is here.

pub mod abi;
mod aligned;
#[cfg(feature = "rkyv")]
mod archived;
mod base64;
mod borrowed;
mod clock;
mod codec;
mod corpus;
mod fold;
mod fresh;
mod list;
pub mod optional;
pub mod own;
mod session;
mod timestamp;
mod unsigned;
mod wide;

pub use aligned::Aligned;
pub use base64::Base64;
pub use borrowed::{Borrowing, Lend, Text, View};
pub use codec::{Codec, Failure, Phase, Serde, SerdeCodec, needs_every_field, whole};
pub use corpus::Corpus;
pub use fold::{Fold, Sum};
pub use fresh::Fresh;
pub use list::list;
pub use session::{AnySession, Session, Timing};
pub use timestamp::Timestamp;
pub use unsigned::Unsigned;
pub use wide::{Key, Seen, read_item, read_value, write_field};
