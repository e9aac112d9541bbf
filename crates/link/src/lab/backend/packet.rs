//! A veth pair per host. The emulator reads and writes its other end through an AF_PACKET socket.

use std::fs::File;
use std::os::fd::AsRawFd;

use super::{Backend, LabSpec};
use crate::engine::mac;
use crate::failure::Failure;
use crate::lab::network::{DEVICE, enter_host, enter_namespace};
use crate::sys::netlink::{Netlink, device_index};
use crate::sys::{ethtool, packet::PacketPort, port::Port};

/// Total ring frames of all ports, and limits per port. A frame takes 2 KiB. A single TCP
/// connection at full speed overflowed 1,024 frames, but not 4,096.
const RING_FRAMES: usize = 16_384;
const MIN_RING: usize = 64;
const MAX_RING: usize = 4096;

pub struct AfPacket;

impl Backend for AfPacket {
    fn name(&self) -> &'static str {
        "af_packet"
    }

    fn accepts(&self, _spec: &LabSpec) -> Result<(), Failure> {
        Ok(())
    }

    fn connect(&self, spec: &LabSpec, here: &File) -> Result<Vec<Box<dyn Port>>, Failure> {
        let ring = (RING_FRAMES / spec.hosts.len()).clamp(MIN_RING, MAX_RING) & !1;
        let hosts = spec.hosts.iter().enumerate();
        hosts
            .map(|(index, host)| connect(index, &host.name, ring, here))
            .collect()
    }
}

/// Create the device of an additional host.
pub fn attach(index: usize, name: &str, here: &File) -> Result<Box<dyn Port>, Failure> {
    connect(index, name, MIN_RING, here)
}

fn connect(index: usize, name: &str, ring: usize, here: &File) -> Result<Box<dyn Port>, Failure> {
    let namespace = enter_host(name)?;
    enter_namespace(here)?;
    let port = format!("p{index}");
    let make = || {
        Netlink::open()?.add_veth((&port, None), (DEVICE, mac(index)), namespace.as_raw_fd())?;
        ethtool::offloads_off(&port)?;
        Netlink::open()?.up(device_index(&port)?)?;
        PacketPort::open(&port, ring)
    };
    let port = make().map_err(|e| Failure::NoLab(format!("network of host {name}: {e}")))?;
    Ok(Box::new(port))
}
