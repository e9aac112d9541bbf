//! The peer's options.

use wirelab_coap::Transmission;
use wirelab_coap::dtls::MOST_BYTES;
use wirelab_coap::options::{self, Least, OPTIONS};
use wirelab_peer::{Fault, Options};

/// The largest body that still fits into a datagram with its options.
const MOST_WHOLE: usize = 60_000;
/// What a record of DTLS has to hold beside a body.
const ROOM: usize = 384;

const LEAST: Least = Least {
    ack_timeout_ms: 1,
    max_retransmit: 0,
};

/// The options and their defaults: what all of CoAP's peers have, and one.
pub fn defaults() -> impl Iterator<Item = (&'static str, &'static str)> {
    OPTIONS.into_iter().chain([("whole_bytes", "0")])
}

/// Reads the transmission parameters.
///
/// # Errors
/// A fatal fault that names the option and the values it takes.
pub fn transmission(options: &Options) -> Result<Transmission, Fault> {
    let most = match options.text("transport") {
        "dtls" => MOST_BYTES - ROOM,
        _ => MOST_WHOLE,
    };
    Ok(Transmission {
        whole: options.in_range("whole_bytes", 0, most)?,
        ..options::transmission(options, LEAST)?
    })
}
