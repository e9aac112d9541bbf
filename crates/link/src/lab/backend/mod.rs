//! Backends: how hosts are connected, and whether their packets pass the emulator.

mod kernel;
mod packet;
mod tun;

use std::fs::File;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::network::enter_namespace;
use super::{HOME, spec::LabSpec};
use crate::failure::{Failure, no_lab};
use crate::sys::port::Port;
pub use packet::attach;

/// The available backends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ValueEnum, Default)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Ethernet through the emulator
    #[default]
    #[serde(alias = "af-packet")]
    #[value(alias = "af_packet")]
    AfPacket,
    /// IP between two hosts through the emulator
    Tun,
    /// The kernel's netem between two hosts, set with tc
    Netem,
    /// Two hosts on a plain veth pair, without any link
    None,
}

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

impl Kind {
    /// The implementation.
    pub fn backend(self) -> &'static dyn Backend {
        match self {
            Kind::AfPacket => &packet::AfPacket,
            Kind::Tun => &tun::Tun,
            Kind::Netem => &kernel::Netem,
            Kind::None => &kernel::Cable,
        }
    }
}

/// Enter the network namespace of a host.
fn enter(host: &str) -> Result<File, Failure> {
    let namespace = File::open(format!("{HOME}/ns/{host}")).map_err(no_lab("network namespace"))?;
    enter_namespace(&namespace)?;
    Ok(namespace)
}

/// Reject a lab with more or fewer than two hosts, or with a segment.
fn two_hosts(name: &str, spec: &LabSpec) -> Result<(), Failure> {
    if spec.hosts.len() == 2 && spec.segment.is_none() {
        return Ok(());
    }
    Err(Failure::BadInput(format!(
        "backend {name} supports exactly two hosts and no segment; use backend af_packet"
    )))
}
