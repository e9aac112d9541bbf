//! The peer's options.

use std::time::Duration;

use wirelab_peer::{Fault, Options};

use crate::libcoap::Method;

/// The options and their defaults: those of RFC 7252, section 4.8, as the peer on `wirelab-coap` has them.
pub const DEFAULTS: [(&str, &str); 9] = [
    ("ack_random_factor", "1.5"),
    ("ack_timeout_ms", "2000"),
    ("authority", ""),
    ("block_size", "1024"),
    ("max_retransmit", "4"),
    ("method", "post"),
    ("non_timeout_ms", "4000"),
    ("nstart", "1"),
    ("transport", "udp"),
];

/// What libcoap is told, and what this peer keeps to by itself.
#[derive(Debug, Clone)]
pub struct Settings {
    pub ack_timeout_ms: u32,
    pub ack_random_factor_thousandths: u32,
    pub max_retransmit: u16,
    pub nstart: u16,
    /// Bytes, a power of 2.
    pub block_size: usize,
    /// How long a NON transfer of several blocks waits for the server.
    pub non_timeout: Duration,
    pub method: Method,
    /// Over DTLS: the file of the certificate that the server's must be signed by.
    pub authority: Option<String>,
}

impl Settings {
    /// Reads the options.
    ///
    /// # Errors
    /// A fatal fault that names the option and the values it takes.
    pub fn read(options: &Options) -> Result<Self, Fault> {
        let factor: f64 = options.within("ack_random_factor", 1.0, 10.0)?;
        Ok(Self {
            // libcoap ignores less than a second.
            ack_timeout_ms: options.within("ack_timeout_ms", 1000, 600_000)?,
            ack_random_factor_thousandths: (factor * 1000.0).round() as u32,
            // libcoap ignores 0.
            max_retransmit: options.within("max_retransmit", 1, 20)?,
            nstart: options.within("nstart", 1, 1024)?,
            block_size: block_size(options)?,
            non_timeout: Duration::from_millis(options.within("non_timeout_ms", 1, 600_000)?),
            method: method(options)?,
            authority: authority(options)?,
        })
    }

    /// MAX_TRANSMIT_WAIT (RFC 7252, section 4.8.2): the longest a confirmable message may wait for its acknowledgement.
    pub fn max_transmit_wait(&self) -> Duration {
        let timeouts = (2u64 << self.max_retransmit) - 1;
        let longest =
            u64::from(self.ack_timeout_ms) * u64::from(self.ack_random_factor_thousandths) / 1000;
        Duration::from_millis(timeouts * longest)
    }
}

fn method(options: &Options) -> Result<Method, Fault> {
    match options.text("method") {
        "post" => Ok(Method::Post),
        "put" => Ok(Method::Put),
        other => Err(Fault::fatal(
            "option method",
            format!("{other:?} is neither post nor put"),
        )),
    }
}

fn authority(options: &Options) -> Result<Option<String>, Fault> {
    let file = options.text("authority");
    match options.text("transport") {
        "udp" => Ok(None),
        // libcoap takes a file that it cannot read for one without certificates.
        "dtls" => match std::fs::metadata(file) {
            Ok(_) => Ok(Some(file.to_owned())),
            Err(error) => Err(Fault::fatal(format!("option authority {file:?}"), error)),
        },
        other => Err(Fault::fatal(
            "option transport",
            format!("{other:?} is neither udp nor dtls"),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(changed: &[(&str, &str)]) -> Result<Settings, Fault> {
        let text = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let (known, given) = (
            DEFAULTS.iter().map(text).collect(),
            changed.iter().map(text).collect(),
        );
        Settings::read(&Options::new(&known, &given)?)
    }

    #[test]
    fn the_defaults_are_those_of_the_rfc() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.max_transmit_wait(), Duration::from_secs(93));
        assert_eq!(
            (settings.nstart, settings.block_size, settings.method),
            (1, 1024, Method::Post)
        );
    }

    #[test]
    fn what_libcoap_would_ignore_is_refused_with_its_range() {
        for (name, value, range) in [
            ("ack_timeout_ms", "999", "1000 to 600000"),
            ("max_retransmit", "0", "1 to 20"),
            ("nstart", "0", "1 to 1024"),
            ("block_size", "2048", "16 to 1024"),
            ("block_size", "48", "16, 32"),
            ("method", "get", "post nor put"),
            ("transport", "tcp", "udp nor dtls"),
        ] {
            let fault = read(&[(name, value)]).unwrap_err();
            assert_eq!(fault.what, format!("option {name}"));
            assert!(fault.why.contains(range), "{}", fault.why);
        }
    }
}
