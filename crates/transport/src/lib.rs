//! What peers and built-in relays share beneath their protocol.
//!
//! - [`tls`]: TLS 1.3 with the authority and certificate made for one trial;
//! - [`dial`] and, with the feature `tokio`, `dial_async`: a connection to the server, encrypted or not;
//! - [`handshake`]: how a client of a relay says who it is;
//! - [`listen_args`]: a relay's command line and where it listens; [`relay`]: who subscribes to what.

mod dial;
pub mod handshake;
pub mod listen_args;
pub mod relay;
pub mod tls;

#[cfg(feature = "tokio")]
mod asynchronous;
#[cfg(feature = "tonic")]
pub mod grpc;

#[cfg(feature = "tokio")]
pub use asynchronous::{
    AsyncDuplex, AsyncReceiveThread, accept_all_async, dial_async, in_time, runtime,
};
pub use dial::{Dialled, Duplex, accept, causes, dial, io_fault};

/// The largest message a relay passes on.
pub const MAX_MESSAGE: usize = 64 << 20;
