//! CoAP exchanges over [`coap_lite`] messages: what lies between a datagram and a message of a trial.
//!
//! Four state machines without I/O: [`Publisher`] (POST or PUT with Block1, and requests whose answers count), [`Observer`] (observation with
//! Block2), [`Server`], and [`Responder`] (whose answers somebody else gives). They are given datagrams and the time in ns, and yield datagrams; so every timer is tested without waiting.
//! [`endpoint_io::EndpointIo`] carries them over a socket, over DTLS where asked for.
//! RFC 7252 (messages), RFC 7641 (observation), RFC 7959 (block-wise), RFC 9175 (Request-Tag).

mod assembly;
mod block;
mod dedup;
pub mod describe;
pub mod dtls;
pub mod endpoint_io;
pub mod io;
mod message;
mod observation;
mod observer;
pub mod options;
mod params;
mod publisher;
pub mod request;
mod responder;
mod server;
mod transmit_queue;

pub use observer::{Observer, Registration};
pub use params::Transmission;
pub use publisher::{Fate, Method, Publisher};
pub use responder::{PendingRequest, Responder};
pub use server::{Limits, Server, ServerCounts};

/// The version of the message codec, coap-lite, that `Cargo.lock` holds.
pub const CODEC_VERSION: &str = "0.13.3";
