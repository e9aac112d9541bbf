//! CoAP exchanges over [`coap_lite`] messages.
//!
//! Four state machines without I/O: [`Publisher`] (POST or PUT with Block1, and requests with
//! answers), [`Observer`] (observation with Block2), [`Server`], and [`Responder`] (answers
//! provided by its caller). They receive datagrams and the time in ns, and produce datagrams, so
//! every timer is tested without waiting. [`endpoint_io::EndpointIo`] connects them to a socket,
//! optionally over DTLS. RFC 7252 (messages), RFC 7641 (observation), RFC 7959 (block-wise), RFC
//! 9175 (Request-Tag).

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

/// The version of the message codec, coap-lite, in `Cargo.lock`.
pub const CODEC_VERSION: &str = "0.13.3";
