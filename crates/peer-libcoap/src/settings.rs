//! The peer's options, as libcoap takes them.

use std::ptr;

use wirelab_coap::options::{self, Least};
use wirelab_coap::{Method, Transmission};
use wirelab_peer::{Fault, Options};

use crate::bindings;

/// libcoap ignores timeouts below a second, and a limit of 0 retransmissions.
const LEAST: Least = Least {
    ack_timeout_ms: 1000,
    max_retransmit: 1,
};

/// The settings for libcoap and for this peer.
#[derive(Debug, Clone)]
pub struct Settings {
    pub transmission: Transmission,
    /// Method of updates.
    pub method: Method,
    /// With DTLS: the file of the certificate authority.
    pub authority: Option<String>,
}

impl Settings {
    /// Reads the options of a client.
    ///
    /// # Errors
    /// A fatal fault that names the option and its valid values.
    pub fn read(options: &Options) -> Result<Self, Fault> {
        let authority = options::authority(options)?;
        Ok(Self {
            transmission: options::transmission(options, LEAST)?,
            method: options::method(options)?,
            authority: authority.map(|file| file.to_string_lossy().into_owned()),
        })
    }

    /// The settings in the form of `client.c`, without the authority. `blocks`: whether libcoap
    /// splits and joins bodies of several blocks.
    pub fn raw(&self, blocks: bool) -> bindings::Settings {
        let Transmission {
            ack_timeout,
            ack_random_factor,
            max_retransmit,
            nstart,
            block_size,
            ..
        } = self.transmission;
        // The options are validated to fit.
        bindings::Settings {
            ack_timeout_ms: (ack_timeout / 1_000_000) as u32,
            ack_random_factor_thousandths: (ack_random_factor * 1000.0).round() as u32,
            max_retransmit: max_retransmit as u16,
            nstart: nstart as u16,
            blocks,
            block_szx: block_size.ilog2() as u8 - 4,
            authority: ptr::null(),
        }
    }
}
