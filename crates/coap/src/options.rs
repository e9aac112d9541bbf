//! Options that CoAP peers share.

use std::path::Path;

use wirelab_peer::{Fault, Options};

use crate::params::Transmission;
use crate::publisher::Method;

/// Names and defaults; the numbers are those of RFC 7252, section 4.8.
pub const OPTIONS: [(&str, &str); 12] = [
    ("ack_random_factor", "1.5"),
    ("ack_timeout_ms", "2000"),
    ("authority", ""),
    ("block_size", "1024"),
    ("certificate", ""),
    ("connection", "kept"),
    ("key", ""),
    ("max_retransmit", "4"),
    ("method", "post"),
    ("non_timeout_ms", "4000"),
    ("nstart", "1"),
    ("transport", "udp"),
];

/// The smallest values that a library supports.
#[derive(Debug, Clone, Copy)]
pub struct Least {
    /// Minimum of `ack_timeout_ms`.
    pub ack_timeout_ms: i64,
    /// Minimum of `max_retransmit`.
    pub max_retransmit: u32,
}

/// Reads the transmission parameters.
///
/// # Errors
/// A fatal fault that names the option and its valid values.
pub fn transmission(options: &Options, least: Least) -> Result<Transmission, Fault> {
    let milliseconds = |name, least: i64| -> Result<i64, Fault> {
        Ok(options.in_range(name, least, 600_000)? * 1_000_000)
    };
    Ok(Transmission {
        ack_timeout: milliseconds("ack_timeout_ms", least.ack_timeout_ms)?,
        ack_random_factor: options.in_range("ack_random_factor", 1.0, 10.0)?,
        max_retransmit: options.in_range("max_retransmit", least.max_retransmit, 20)?,
        nstart: options.in_range("nstart", 1, 1024)?,
        non_timeout: milliseconds("non_timeout_ms", 1)?,
        block_size: block_size(options)?,
        whole: 0,
    })
}

fn block_size(options: &Options) -> Result<usize, Fault> {
    let size: usize = options.in_range("block_size", 16, 1024)?;
    if size.is_power_of_two() {
        return Ok(size);
    }
    Err(Fault::fatal(
        "option block_size",
        format!("{size} is not one of 16, 32, 64, 128, 256, 512, 1024"),
    ))
}

/// The method of updates.
///
/// # Errors
/// A fatal fault unless it is post or put.
pub fn method(options: &Options) -> Result<Method, Fault> {
    options.one_of("method", [("post", Method::Post), ("put", Method::Put)])
}

/// Whether each request uses its own connection.
///
/// # Errors
/// A fatal fault unless it is kept or each.
pub fn is_each(options: &Options) -> Result<bool, Fault> {
    options.one_of("connection", [("kept", false), ("each", true)])
}

/// The file of the certificate authority, if DTLS is used.
///
/// # Errors
/// A fatal fault that names the option or the missing file.
pub fn authority(options: &Options) -> Result<Option<&Path>, Fault> {
    match is_encrypted(options)? {
        true => file(options, "authority").map(Some),
        false => Ok(None),
    }
}

/// The files of a responder's certificate and key, if DTLS is used.
///
/// # Errors
/// As of [`authority`].
pub fn identity(options: &Options) -> Result<Option<(&Path, &Path)>, Fault> {
    match is_encrypted(options)? {
        true => Ok(Some((file(options, "certificate")?, file(options, "key")?))),
        false => Ok(None),
    }
}

fn is_encrypted(options: &Options) -> Result<bool, Fault> {
    options.one_of("transport", [("udp", false), ("dtls", true)])
}

fn file<'a>(options: &'a Options, name: &str) -> Result<&'a Path, Fault> {
    let path = Path::new(options.text(name));
    match path.metadata() {
        Ok(_) => Ok(path),
        Err(error) => Err(Fault::fatal(
            format!("option {name} {:?}", path.display().to_string()),
            error,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Least = Least {
        ack_timeout_ms: 1,
        max_retransmit: 0,
    };

    fn given(changed: &[(&str, &str)]) -> Options {
        let text = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let known = OPTIONS.iter().map(text).collect();
        Options::new(&known, &changed.iter().map(text).collect()).unwrap()
    }

    #[test]
    fn the_defaults_are_those_of_the_rfc() {
        let options = given(&[]);
        assert_eq!(
            transmission(&options, LEAST).unwrap(),
            Transmission::default()
        );
        assert_eq!(method(&options).unwrap(), Method::Post);
        assert_eq!(authority(&options).unwrap(), None);
    }

    #[test]
    fn what_an_option_does_not_take_is_refused_with_what_it_does() {
        let strict = Least {
            ack_timeout_ms: 1000,
            max_retransmit: 1,
        };
        for (name, value, range) in [
            ("ack_timeout_ms", "999", "1000 to 600000"),
            ("max_retransmit", "0", "1 to 20"),
            ("nstart", "0", "1 to 1024"),
            ("block_size", "2048", "16 to 1024"),
            ("block_size", "48", "16, 32"),
            ("method", "get", "neither post nor put"),
            ("transport", "tcp", "neither udp nor dtls"),
        ] {
            let options = given(&[(name, value)]);
            let fault = transmission(&options, strict)
                .and_then(|_| method(&options))
                .and_then(|_| authority(&options))
                .unwrap_err();
            assert_eq!(fault.what, format!("option {name}"));
            assert!(fault.why.contains(range), "{}", fault.why);
        }
    }

    #[test]
    fn a_certificate_that_is_not_there_is_named() {
        let options = given(&[("transport", "dtls"), ("authority", "/nowhere/it.pem")]);
        let fault = authority(&options).unwrap_err();
        assert_eq!(fault.what, "option authority \"/nowhere/it.pem\"");
        assert!(identity(&options).is_err());
    }
}
