//! A TUN device per host: IP only, point to point, without the kernel's time stamps.

use std::fs::File;
use std::io;

use super::{Backend, LabSpec, require_two_hosts};
use crate::engine::mac;
use crate::failure::Failure;
use crate::lab::network::{DEVICE, enter_host, enter_namespace};
use crate::sys::netlink::{Netlink, device_index};
use crate::sys::{port::Port, tun::TunPort};

/// Queue length of a device, packets: as many as an AF_PACKET ring holds.
const QUEUE: u32 = 1024;

pub struct Tun;

impl Backend for Tun {
    fn name(&self) -> &'static str {
        "tun"
    }

    fn accepts(&self, spec: &LabSpec) -> Result<(), Failure> {
        require_two_hosts("tun", spec)
    }

    fn connect(&self, spec: &LabSpec, here: &File) -> Result<Vec<Box<dyn Port>>, Failure> {
        let hosts = spec.hosts.iter().enumerate();
        hosts
            .map(|(index, host)| {
                enter_host(&host.name)?;
                let port = open(index).map_err(|e| refused(&e))?;
                enter_namespace(here)?;
                Ok(Box::new(port) as Box<dyn Port>)
            })
            .collect()
    }

    fn is_ethernet(&self) -> bool {
        false
    }
}

fn open(index: usize) -> io::Result<TunPort> {
    let port = TunPort::open(DEVICE, mac(index), mac(1 - index))?;
    Netlink::open()?.set_queue(device_index(DEVICE)?, QUEUE)?;
    Ok(port)
}

fn refused(error: &io::Error) -> Failure {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => {
            "this kernel has no TUN; load it with `modprobe tun`, or use backend af_packet"
        }
        io::ErrorKind::PermissionDenied => {
            "TUN is not permitted here; run as root, `chmod 0666 /dev/net/tun`, or use backend af_packet"
        }
        _ => "use backend af_packet",
    };
    Failure::NoLab(format!("/dev/net/tun: {error}; {remedy}"))
}
