//! The hosts: one network namespace each, with one device.

use std::fs::{self, File};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsFd;

use nix::sched::{CloneFlags, setns, unshare};

use super::{mounts, spec::LabSpec};
pub use crate::engine::mac;
use crate::failure::{Failure, no_lab};
use crate::sys::netlink::{Netlink, device_index};
use crate::sys::{ethtool, port::Port};

/// Device of every host.
pub const DEVICE: &str = "eth0";
const PREFIX: u8 = 16;

/// A table of TCP connections for each host: the machine's own has hundreds of thousands of rows, and whoever asks what lies in
/// a host's send queues would have the kernel walk them all, for most of a millisecond. From Linux 6.1 on.
const CONNECTION_TABLE: (&str, &str) = ("ipv4/tcp_child_ehash_entries", "4096");

/// The address of host `index`.
pub fn address(index: usize) -> Ipv4Addr {
    let [high, low] = (index as u16 + 1).to_be_bytes();
    Ipv4Addr::new(10, 77, high, low)
}

/// Make all hosts, and a namespace for the command; gives the switch's ports in the order of the hosts, and the command's namespace.
pub fn set_up(spec: &LabSpec) -> Result<(Vec<Box<dyn Port>>, File), Failure> {
    let here = open_own_namespace()?;
    settings(&[
        ("ipv6/conf/all/disable_ipv6", "1"),
        ("ipv6/conf/default/disable_ipv6", "1"),
        CONNECTION_TABLE,
    ]);
    for host in &spec.hosts {
        new_host(&host.name)?;
        enter_namespace(&here)?;
    }
    let backend = spec.backend.backend();
    let ports = backend.connect(spec, &here)?;
    for (index, host) in spec.hosts.iter().enumerate() {
        let others: Vec<usize> = (0..spec.hosts.len())
            .filter(|&other| other != index && backend.is_ethernet())
            .collect();
        configure(index, &host.name, &others)?;
        enter_namespace(&here)?;
    }
    backend.shape(spec, &here)?;
    let command = new_namespace()?;
    enter_namespace(&here)?;
    Ok((ports, command))
}

/// The network namespace of a host, entered, under the host's name.
pub fn new_host(name: &str) -> Result<(), Failure> {
    new_namespace()?;
    mounts::name_namespace(name)
}

/// Address, routes and neighbours of a host, whose namespace is entered.
pub fn configure(index: usize, name: &str, others: &[usize]) -> Result<(), Failure> {
    let namespace =
        File::open(format!("{}/ns/{name}", super::HOME)).map_err(no_lab("network namespace"))?;
    enter_namespace(&namespace)?;
    let configure = || -> io::Result<()> {
        let netlink = Netlink::open()?;
        let device = device_index(DEVICE)?;
        // A TUN device has none.
        let _ = ethtool::offloads_off(DEVICE);
        netlink.add_address(device, address(index).octets(), PREFIX)?;
        netlink.up(device)?;
        netlink.add_route(device, [224, 0, 0, 0], 4)?;
        netlink.add_route(device, [255, 255, 255, 255], 32)?;
        // Asking for an address would cost the first packet a round trip that no later one pays.
        others.iter().try_for_each(|&other| {
            netlink.add_neighbour(device, address(other).octets(), mac(other))
        })
    };
    configure().map_err(|e| Failure::NoLab(format!("network of host {name}: {e}")))
}

/// Tell a host of one more neighbour.
pub fn add_neighbour(host: &str, neighbour: usize) -> Result<(), Failure> {
    let namespace = File::open(format!("{}/ns/{host}", super::HOME)).map_err(no_lab(host))?;
    enter_namespace(&namespace)?;
    let add = || {
        let (address, mac) = (address(neighbour).octets(), mac(neighbour));
        Netlink::open()?.add_neighbour(device_index(DEVICE)?, address, mac)
    };
    add().map_err(no_lab(host))
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
    open_own_namespace()
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

/// This thread's network namespace.
pub fn open_own_namespace() -> Result<File, Failure> {
    File::open("/proc/thread-self/ns/net").map_err(no_lab("network namespace"))
}

/// Back into it.
pub fn enter_namespace(namespace: &File) -> Result<(), Failure> {
    setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET).map_err(no_lab("network namespace"))
}
