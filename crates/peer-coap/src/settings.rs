//! The peer's options.

use wirelab_coap::{Method, Transmission};
use wirelab_peer::{Fault, Options};

/// The largest body that still fits into a datagram with its options.
const MOST_WHOLE: usize = 60_000;

/// The options and their defaults: those of RFC 7252, section 4.8.
pub fn defaults() -> impl Iterator<Item = (&'static str, &'static str)> {
    [
        ("ack_random_factor", "1.5"),
        ("ack_timeout_ms", "2000"),
        ("block_size", "1024"),
        ("connection", "kept"),
        ("max_retransmit", "4"),
        ("method", "post"),
        ("non_timeout_ms", "4000"),
        ("nstart", "1"),
        ("whole_bytes", "0"),
    ]
    .into_iter()
}

/// Reads the transmission parameters.
///
/// # Errors
/// A fatal fault that names the option and the values it takes.
pub fn transmission(options: &Options) -> Result<Transmission, Fault> {
    Ok(Transmission {
        ack_timeout: milliseconds(options, "ack_timeout_ms")?,
        ack_random_factor: options.within("ack_random_factor", 1.0, 10.0)?,
        max_retransmit: options.within("max_retransmit", 0, 20)?,
        nstart: options.within("nstart", 1, 1024)?,
        non_timeout: milliseconds(options, "non_timeout_ms")?,
        block_size: block_size(options)?,
        whole: options.within("whole_bytes", 0, MOST_WHOLE)?,
    })
}

/// Reads the method of updates.
///
/// # Errors
/// A fatal fault, unless it is post or put.
pub fn method(options: &Options) -> Result<Method, Fault> {
    match options.text("method") {
        "post" => Ok(Method::Post),
        "put" => Ok(Method::Put),
        other => Err(Fault::fatal(
            "option method",
            format!("{other:?} is neither post nor put"),
        )),
    }
}

fn block_size(options: &Options) -> Result<usize, Fault> {
    let size: usize = options.within("block_size", 16, 1024)?;
    if size.is_power_of_two() {
        return Ok(size);
    }
    Err(Fault::fatal(
        "option block_size",
        format!("{size} is not one of 16, 32, 64, 128, 256, 512, 1024"),
    ))
}

fn milliseconds(options: &Options, name: &str) -> Result<i64, Fault> {
    Ok(options.within(name, 1i64, 600_000)? * 1_000_000)
}
