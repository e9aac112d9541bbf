//! The part below the protocol that peers and built-in relays share.
//!
//! - [`tls`]: TLS 1.3 with the certificate authority and certificate of one trial;
//! - [`dial`] and, with the feature `tokio`, `dial_async`: connections to the server, with or
//!   without TLS;
//! - `quic`, with the feature of that name: QUIC connections;
//! - `frames`, with the feature `tokio`: messages in a byte stream;
//! - [`handshake`]: how a client identifies itself to a relay;
//! - [`listen_args`]: the command line of a relay; [`relay`]: subscriptions and the accept loop.

mod dial;
pub mod handshake;
pub mod listen_args;
pub mod relay;
pub mod tls;

#[cfg(feature = "tokio")]
mod asynchronous;
#[cfg(feature = "tokio")]
pub mod frames;
#[cfg(feature = "tonic")]
pub mod grpc;
#[cfg(feature = "quic")]
pub mod quic;

#[cfg(feature = "tokio")]
pub use asynchronous::{
    AsyncDuplex, AsyncReceiveThread, accept_all_async, dial_async, in_time, runtime,
};
pub use dial::{Dialled, Duplex, accept, causes, dial, io_fault};

/// Size of the largest message that a relay forwards, in bytes.
pub const MAX_MESSAGE: usize = 64 << 20;
