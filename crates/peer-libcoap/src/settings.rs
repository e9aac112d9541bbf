//! The peer's options, as libcoap takes them.

use std::ptr;

use wirelab_coap::options::{self, Least};
use wirelab_coap::{Method, Transmission};
use wirelab_peer::{Fault, Options};

use crate::raw;

/// libcoap ignores less than a second, and no retransmission at all.
const LEAST: Least = Least {
    ack_timeout_ms: 1000,
    max_retransmit: 1,
};

/// What libcoap is told, and what this peer keeps to by itself.
#[derive(Debug, Clone)]
pub struct Settings {
    pub transmission: Transmission,
    /// Of updates.
    pub method: Method,
    /// Over DTLS: the file of the certificate that the server's must be signed by.
    pub authority: Option<String>,
}

impl Settings {
    /// Reads the options of a client.
    ///
    /// # Errors
    /// A fatal fault that names the option and the values it takes.
    pub fn read(options: &Options) -> Result<Self, Fault> {
        let authority = options::authority(options)?;
        Ok(Self {
            transmission: options::transmission(options, LEAST)?,
            method: options::method(options)?,
            authority: authority.map(|file| file.to_string_lossy().into_owned()),
        })
    }

    /// As `client.c` takes them, but for the authority. `blocks`: libcoap is to cut and join bodies of several blocks.
    pub fn raw(&self, blocks: bool) -> raw::Settings {
        let Transmission {
            ack_timeout,
            ack_random_factor,
            max_retransmit,
            nstart,
            block_size,
            ..
        } = self.transmission;
        // All within bounds that the options keep.
        raw::Settings {
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
