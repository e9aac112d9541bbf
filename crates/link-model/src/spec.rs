//! Specification of a link, per direction.

use std::sync::Arc;

use crate::discipline::Discipline;
use crate::impairment::ImpairmentSpec;
use crate::queue::QueueLimit;
use crate::trace::{Generator, Trace};

/// Largest layer-3 packet on the virtual Ethernet.
pub const ETHERNET_MTU: u32 = 1500;

/// Capacity of one direction.
#[derive(Debug, Clone, PartialEq)]
pub enum RateSpec {
    /// Transmission takes no time.
    Unlimited,
    /// Constant layer-3 bit/s.
    Constant(u64),
    /// As recorded.
    Trace {
        /// The file name as given.
        name: String,
        /// Its content, scaled.
        trace: Arc<Trace>,
    },
    /// Generated from the trial's seed.
    Generated(Generator),
}

impl RateSpec {
    /// Long-run mean in layer-3 bit/s. None if unlimited.
    pub fn mean_bps(&self) -> Option<f64> {
        match self {
            RateSpec::Unlimited => None,
            RateSpec::Constant(bps) => Some(*bps as f64),
            RateSpec::Trace { trace, .. } => Some(trace.mean_bps()),
            RateSpec::Generated(generator) => Some(generator.mean_bps()),
        }
    }
}

/// One direction of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectionSpec {
    /// Capacity.
    pub rate: RateSpec,
    /// Mean delay after transmission, ns.
    pub delay_ns: u64,
    /// Limit of the queue before transmission.
    pub queue: QueueLimit,
    /// The queue's drop discipline.
    pub discipline: Discipline,
    /// What else happens to packets. A lost packet has used capacity.
    pub impairments: ImpairmentSpec,
    /// Longer layer-3 packets are dropped, bytes.
    pub mtu: u32,
}

impl DirectionSpec {
    /// No impairment.
    pub const IDEAL: DirectionSpec = DirectionSpec {
        rate: RateSpec::Unlimited,
        delay_ns: 0,
        queue: QueueLimit::Packets(1000),
        discipline: Discipline::DropTail,
        impairments: ImpairmentSpec::NONE,
        mtu: ETHERNET_MTU,
    };
}

/// An access link.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkSpec {
    /// The link text.
    pub text: String,
    /// Where the numbers come from.
    pub source: String,
    /// From the host into the network.
    pub up: DirectionSpec,
    /// To the host.
    pub down: DirectionSpec,
}
