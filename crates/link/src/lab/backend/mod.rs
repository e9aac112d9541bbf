//! How hosts are connected: what carries their packets, and whether the emulator sees them.

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

/// The kinds there are.
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
    /// Two hosts on a plain cable, without any link
    None,
}

/// One way to connect hosts.
pub trait Backend: Sync {
    /// As it is reported.
    fn name(&self) -> &'static str;

    /// Whether it can carry this lab; errors say what it lacks.
    fn accepts(&self, spec: &LabSpec) -> Result<(), Failure>;

    /// Give every host its device. Gives the emulator's ports in the order of the hosts; none where the emulator is not in the way.
    ///
    /// Called in the switch's network namespace, and returns there.
    fn connect(&self, spec: &LabSpec, here: &File) -> Result<Vec<Box<dyn Port>>, Failure>;

    /// Whether devices are Ethernet, so that hosts have neighbours.
    fn is_ethernet(&self) -> bool {
        true
    }

    /// Whether the emulator sees and counts the packets.
    fn emulates(&self) -> bool {
        true
    }

    /// What is left to do when devices are up. Called in the switch's network namespace, and returns there.
    fn shape(&self, _spec: &LabSpec, _here: &File) -> Result<(), Failure> {
        Ok(())
    }
}

impl Kind {
    /// The one of this kind.
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

/// Refuse a lab that is not two hosts without a segment.
fn two_hosts(name: &str, spec: &LabSpec) -> Result<(), Failure> {
    if spec.hosts.len() == 2 && spec.segment.is_none() {
        return Ok(());
    }
    Err(Failure::BadInput(format!(
        "backend {name} connects two hosts and no segment; use backend af_packet for anything else"
    )))
}
