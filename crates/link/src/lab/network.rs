//! The hosts: one network namespace each, with one Ethernet device that ends at the switch.

use std::fs::{self, File};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd};

use nix::sched::{CloneFlags, setns, unshare};

use super::mounts;
use crate::engine::HostLink;
use crate::failure::{Failure, no_lab};
use crate::sys::netlink::{Netlink, device_index};
use crate::sys::{ethtool, port::Port};

/// Device of every host.
const DEVICE: &str = "eth0";
const PREFIX: u8 = 16;
/// The kernel's ring memory for all ports together, and bounds per port. One frame takes 2 KiB.
const RING_FRAMES: usize = 16_384;
const MIN_RING: usize = 64;
const MAX_RING: usize = 1024;

/// The address of host `index`.
pub fn address(index: usize) -> Ipv4Addr {
    let [high, low] = (index as u16 + 1).to_be_bytes();
    Ipv4Addr::new(10, 77, high, low)
}

pub use crate::engine::mac;

/// Make all hosts, and a namespace for the command; gives the switch's ports in the order of the hosts, and the command's namespace.
pub fn set_up(hosts: &[HostLink]) -> Result<(Vec<Port>, File), Failure> {
    let here = own_namespace()?;
    settings(&[
        ("ipv6/conf/all/disable_ipv6", "1"),
        ("ipv6/conf/default/disable_ipv6", "1"),
    ]);
    let switch = Netlink::open().map_err(no_lab("netlink"))?;
    let ring = (RING_FRAMES / hosts.len()).clamp(MIN_RING, MAX_RING) & !1;
    let mut ports = Vec::with_capacity(hosts.len());
    for (index, host) in hosts.iter().enumerate() {
        let inside = new_namespace()?;
        mounts::name_namespace(&host.name)?;
        back(&here)?;
        let port = format!("p{index}");
        let failed =
            |error: io::Error| Failure::NoLab(format!("network of host {}: {error}", host.name));
        switch
            .add_veth(&port, DEVICE, mac(index), inside.as_raw_fd())
            .map_err(failed)?;
        ethtool::offloads_off(&port).map_err(failed)?;
        switch
            .up(device_index(&port).map_err(failed)?)
            .map_err(failed)?;
        back(&inside)?;
        configure(index, hosts.len()).map_err(failed)?;
        back(&here)?;
        ports.push(Port::open(&port, ring).map_err(failed)?);
    }
    let command = new_namespace()?;
    back(&here)?;
    Ok((ports, command))
}

/// Address, routes and neighbours of a host, in its namespace.
fn configure(index: usize, hosts: usize) -> io::Result<()> {
    let netlink = Netlink::open()?;
    let device = device_index(DEVICE)?;
    ethtool::offloads_off(DEVICE)?;
    netlink.add_address(device, address(index).octets(), PREFIX)?;
    netlink.up(device)?;
    netlink.add_route(device, [224, 0, 0, 0], 4)?;
    netlink.add_route(device, [255, 255, 255, 255], 32)?;
    // Asking for an address would cost the first packet a round trip that no later one pays.
    for other in (0..hosts).filter(|&other| other != index) {
        netlink.add_neighbour(device, address(other).octets(), mac(other))?;
    }
    Ok(())
}

/// A fresh network namespace, entered, with its loopback up.
fn new_namespace() -> Result<File, Failure> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(no_lab("network namespace"))?;
    settings(&[
        ("ipv6/conf/all/disable_ipv6", "1"),
        ("ipv6/conf/default/disable_ipv6", "1"),
        // A trial must not begin with what an earlier connection learned about the path.
        ("ipv4/tcp_no_metrics_save", "1"),
        // Everybody may ping; the range ends where the user namespace's groups may end.
        ("ipv4/ping_group_range", "0 2147483647"),
        ("ipv4/ping_group_range", "0 0"),
        ("ipv4/ip_unprivileged_port_start", "0"),
        // Bursts of datagrams; kernels that keep this for the whole machine refuse.
        ("core/rmem_max", "16777216"),
        ("core/rmem_default", "4194304"),
        ("core/wmem_max", "16777216"),
        // Room for a few MB in flight on links that are long and fast.
        ("ipv4/tcp_rmem", "4096 131072 16777216"),
        ("ipv4/tcp_wmem", "4096 65536 16777216"),
    ]);
    let netlink = Netlink::open().map_err(no_lab("netlink"))?;
    netlink
        .up(device_index("lo").map_err(no_lab("loopback"))?)
        .map_err(no_lab("loopback"))?;
    own_namespace()
}

/// Set kernel settings of this network namespace, each where the kernel has it and permits it.
fn settings(values: &[(&str, &str)]) {
    let mut set: Vec<&str> = Vec::new();
    for (name, value) in values {
        // A second value for a name is for where the first one was refused.
        if !set.contains(name) && fs::write(format!("/proc/sys/net/{name}"), value).is_ok() {
            set.push(name);
        }
    }
}

fn own_namespace() -> Result<File, Failure> {
    File::open("/proc/thread-self/ns/net").map_err(no_lab("network namespace"))
}

fn back(namespace: &File) -> Result<(), Failure> {
    setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET).map_err(no_lab("network namespace"))
}
