//! The peer's options.

use wirelab_coap::Transmission;
use wirelab_coap::dtls::MAX_RECORD_BYTES;
use wirelab_coap::options::{self, Least, OPTIONS};
use wirelab_peer::{Fault, Options};

/// Maximum size of a body that fits into a datagram with its options.
const MAX_WHOLE_BYTES: usize = 60_000;
/// Room for CoAP header and options in a DTLS record.
const ROOM: usize = 384;

const LEAST: Least = Least {
    ack_timeout_ms: 1,
    max_retransmit: 0,
};

/// The options and their defaults: those that CoAP peers share, and one more.
pub fn defaults() -> impl Iterator<Item = (&'static str, &'static str)> {
    OPTIONS.into_iter().chain([("whole_bytes", "0")])
}

/// Reads the transmission parameters.
///
/// # Errors
/// A fatal fault that names the option and its valid values.
pub fn transmission(options: &Options) -> Result<Transmission, Fault> {
    let most = match options.text("transport") {
        "dtls" => MAX_RECORD_BYTES - ROOM,
        _ => MAX_WHOLE_BYTES,
    };
    Ok(Transmission {
        whole: options.in_range("whole_bytes", 0, most)?,
        ..options::transmission(options, LEAST)?
    })
}
