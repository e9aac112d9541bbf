//! The part that all generated Rust codec packs share: the C ABI, the timed loops, the checksum and
//! the corpus.
//!
//! A generated crate defines its native message type and one [`Codec`] per library, and calls
//! [`export_pack!`] once.

pub mod abi;
mod aligned;
mod any;
#[cfg(feature = "rkyv")]
mod archived;
mod base64;
mod borrowed;
mod checksum;
mod clock;
mod codec;
mod corpus;
mod decimal;
pub mod error;
mod fresh_buffers;
mod keys;
pub mod levels;
pub mod optional;
mod real;
mod session;
mod timestamp;
mod unions;
mod unsigned;
mod vec_ops;
mod wide_structs;

pub use aligned::Aligned;
pub use any::{Any, FoldTexts};
pub use base64::Base64;
pub use borrowed::{Borrowing, Lend, Text, View};
pub use checksum::{Checksum, Fold, fold_keyed};
pub use codec::{Codec, Failure, Phase, Serde, SerdeCodec, is_signed_only, needs_every_field, whole};
pub use corpus::Corpus;
pub use decimal::Decimal;
pub use fresh_buffers::FreshBuffers;
pub use keys::refuse_nul_in_keys;
pub use real::Real;
pub use session::{AnySession, Session, Timing};
pub use timestamp::Timestamp;
pub use unions::{
    Alternative, Buffered, end_of_entries, end_of_items, no_alternative, out_of_range, read_named, tags_unions,
    write_alternative, write_timestamp,
};
pub use unsigned::Unsigned;
pub use vec_ops::try_collect;
pub use wide_structs::{Key, SeenFields, read_item, read_value, write_field};
