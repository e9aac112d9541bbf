//! Backends: how hosts are connected, and whether their packets pass the emulator.

mod kernel;
mod packet;
mod tun;

use std::fs::File;

use super::spec::{BackendKind, LabSpec};
use crate::failure::Failure;
use crate::sys::port::Port;
pub use packet::attach;

/// A backend.
pub trait Backend: Sync {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// Whether it supports this lab. Errors name the missing feature.
    fn accepts(&self, spec: &LabSpec) -> Result<(), Failure>;

    /// Create every host's device. Returns the emulator's ports in the order of the hosts; none if
    /// packets bypass the emulator.
    ///
    /// Called in the switch's network namespace, and returns there.
    fn connect(&self, spec: &LabSpec, here: &File) -> Result<Vec<Box<dyn Port>>, Failure>;

    /// Whether devices are Ethernet and need neighbour entries.
    fn is_ethernet(&self) -> bool {
        true
    }

    /// Whether packets pass the emulator and are counted.
    fn emulates(&self) -> bool {
        true
    }

    /// Final configuration after devices are up. Called in the switch's network namespace, and
    /// returns there.
    fn shape(&self, _spec: &LabSpec, _here: &File) -> Result<(), Failure> {
        Ok(())
    }
}

impl BackendKind {
    /// The implementation.
    pub fn backend(self) -> &'static dyn Backend {
        match self {
            BackendKind::AfPacket => &packet::AfPacket,
            BackendKind::Tun => &tun::Tun,
            BackendKind::Netem => &kernel::Netem,
            BackendKind::None => &kernel::VethPair,
        }
    }
}

/// Reject a lab with more or fewer than two hosts, or with a segment.
fn require_two_hosts(name: &str, spec: &LabSpec) -> Result<(), Failure> {
    if spec.hosts.len() == 2 && spec.segment.is_none() {
        return Ok(());
    }
    Err(Failure::BadInput(format!(
        "backend {name} supports exactly two hosts and no segment; use backend af_packet"
    )))
}
