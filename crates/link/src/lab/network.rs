//! The hosts' networks: one network namespace with one device each.

use std::fs::{self, File};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsFd;

use nix::sched::{CloneFlags, setns, unshare};

use super::{HOME, mounts};
pub use crate::engine::mac;
use crate::failure::{Failure, no_lab};
use crate::sys::ethtool;
use crate::sys::netlink::{Netlink, device_index};

/// Name of every host's device.
pub const DEVICE: &str = "eth0";
const PREFIX: u8 = 16;

/// A TCP connection table per host. Without it, listing a host's send queues would make the kernel
/// scan the machine's table of several hundred thousand rows, which takes most of a millisecond.
/// Available from Linux 6.1.
const CONNECTION_TABLE: (&str, &str) = ("ipv4/tcp_child_ehash_entries", "4096");

/// The address of host `index`.
pub fn address(index: usize) -> Ipv4Addr {
    let [high, low] = (index as u16 + 1).to_be_bytes();
    Ipv4Addr::new(10, 77, high, low)
}

/// Configure the switch's network namespace, which is this thread's.
pub fn prepare_switch_namespace() {
    write_settings(&[
        ("ipv6/conf/all/disable_ipv6", "1"),
        ("ipv6/conf/default/disable_ipv6", "1"),
        CONNECTION_TABLE,
    ]);
}

/// Create and enter a host's network namespace and bind it to the host's name.
pub fn new_host(name: &str) -> Result<(), Failure> {
    new_namespace()?;
    mounts::name_namespace(name)
}

/// Enter a host's namespace and configure its address, routes and neighbours.
pub fn configure(index: usize, name: &str, others: &[usize]) -> Result<(), Failure> {
    enter_host(name)?;
    let configure = || -> io::Result<()> {
        let netlink = Netlink::open()?;
        let device = device_index(DEVICE)?;
        // Not supported by a TUN device.
        let _ = ethtool::offloads_off(DEVICE);
        netlink.add_address(device, address(index).octets(), PREFIX)?;
        netlink.up(device)?;
        netlink.add_route(device, [224, 0, 0, 0], 4)?;
        netlink.add_route(device, [255, 255, 255, 255], 32)?;
        // Static entries, because an ARP exchange would delay the first packet by a round trip.
        others.iter().try_for_each(|&other| {
            netlink.add_neighbour(device, address(other).octets(), mac(other))
        })
    };
    configure().map_err(|e| Failure::NoLab(format!("network of host {name}: {e}")))
}

/// Add a neighbour to a host.
pub fn add_neighbour(host: &str, neighbour: usize) -> Result<(), Failure> {
    enter_host(host)?;
    let add = || {
        let (address, mac) = (address(neighbour).octets(), mac(neighbour));
        Netlink::open()?.add_neighbour(device_index(DEVICE)?, address, mac)
    };
    add().map_err(no_lab(host))
}

/// Create and enter a network namespace, and bring its loopback up.
pub fn new_namespace() -> Result<File, Failure> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(no_lab("network namespace"))?;
    write_settings(&[
        ("ipv6/conf/all/disable_ipv6", "1"),
        ("ipv6/conf/default/disable_ipv6", "1"),
        // Do not carry path metrics of earlier connections into a trial.
        ("ipv4/tcp_no_metrics_save", "1"),
        // Permit ping to all users. The range ends at the last group of the user namespace.
        ("ipv4/ping_group_range", "0 2147483647"),
        ("ipv4/ping_group_range", "0 0"),
        ("ipv4/ip_unprivileged_port_start", "0"),
        // For bursts of datagrams. Fails on kernels that have only one such setting per machine.
        ("core/rmem_max", "16777216"),
        ("core/rmem_default", "4194304"),
        ("core/wmem_max", "16777216"),
        // For several MB in flight on long, fast links.
        ("ipv4/tcp_rmem", "4096 131072 16777216"),
        ("ipv4/tcp_wmem", "4096 65536 16777216"),
    ]);
    let netlink = Netlink::open().map_err(no_lab("netlink"))?;
    netlink
        .up(device_index("lo").map_err(no_lab("loopback"))?)
        .map_err(no_lab("loopback"))?;
    open_own_namespace()
}

/// Write kernel settings of this network namespace, ignoring those that are missing or not
/// permitted.
fn write_settings(values: &[(&str, &str)]) {
    let mut set: Vec<&str> = Vec::new();
    for (name, value) in values {
        // A second value for the same name is tried only if the first failed.
        if !set.contains(name) && fs::write(format!("/proc/sys/net/{name}"), value).is_ok() {
            set.push(name);
        }
    }
}

/// Open this thread's network namespace.
pub fn open_own_namespace() -> Result<File, Failure> {
    File::open("/proc/thread-self/ns/net").map_err(no_lab("network namespace"))
}

/// Move this thread into a network namespace.
pub fn enter_namespace(namespace: &File) -> Result<(), Failure> {
    setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET).map_err(no_lab("network namespace"))
}

/// Move this thread into a host's network namespace.
pub fn enter_host(host: &str) -> Result<File, Failure> {
    let namespace = File::open(format!("{HOME}/ns/{host}")).map_err(no_lab("network namespace"))?;
    enter_namespace(&namespace)?;
    Ok(namespace)
}
