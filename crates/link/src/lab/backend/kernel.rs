//! Two hosts on one veth pair that bypasses the emulator, plain or with the kernel's netem.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::process::Command;

use wirelab_link_model::{DirectionSpec, netem};

use super::{Backend, LabSpec, require_two_hosts};
use crate::engine::mac;
use crate::failure::Failure;
use crate::lab::network::{DEVICE, enter_host, enter_namespace};
use crate::sys::{ethtool, netlink::Netlink, port::Port};

/// A plain veth pair.
pub struct VethPair;

impl Backend for VethPair {
    fn name(&self) -> &'static str {
        "none"
    }

    fn accepts(&self, spec: &LabSpec) -> Result<(), Failure> {
        reject_recording("none", spec)?;
        let plain = |direction: &DirectionSpec| *direction == DirectionSpec::IDEAL;
        if spec
            .hosts
            .iter()
            .all(|host| plain(&host.link.up) && plain(&host.link.down))
        {
            return Ok(());
        }
        Err(Failure::BadInput(
            "backend none supports only ideal links; use ideal, or backend af_packet".into(),
        ))
    }

    fn connect(&self, spec: &LabSpec, here: &File) -> Result<Vec<Box<dyn Port>>, Failure> {
        connect_hosts(spec, here)
    }

    fn emulates(&self) -> bool {
        false
    }
}

/// netem at both ends of the veth pair.
pub struct Netem;

impl Backend for Netem {
    fn name(&self) -> &'static str {
        "netem"
    }

    fn accepts(&self, spec: &LabSpec) -> Result<(), Failure> {
        reject_recording("netem", spec)?;
        let second = &spec.hosts[1].link;
        if second.up == DirectionSpec::IDEAL && second.down == DirectionSpec::IDEAL {
            return Ok(());
        }
        Err(Failure::BadInput(format!(
            "backend netem supports one link, that of host {}; host {} must be ideal",
            spec.hosts[0].name, spec.hosts[1].name
        )))
    }

    fn connect(&self, spec: &LabSpec, here: &File) -> Result<Vec<Box<dyn Port>>, Failure> {
        connect_hosts(spec, here)
    }

    fn emulates(&self) -> bool {
        false
    }

    fn shape(&self, spec: &LabSpec, here: &File) -> Result<(), Failure> {
        let link = &spec.hosts[0].link;
        // Each direction on the device it leaves through.
        for (direction, host) in [&link.up, &link.down].into_iter().zip(&spec.hosts) {
            let plan = netem::plan(direction, DEVICE);
            enter_host(&host.name)?;
            plan.commands.iter().try_for_each(|command| run(command))?;
            enter_namespace(here)?;
            for sentence in plan.unsupported {
                eprintln!("wirelab-link: note: not in netem: {sentence}");
            }
        }
        Ok(())
    }
}

fn run(command: &str) -> Result<(), Failure> {
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let done = Command::new(program).args(words).output().map_err(|e| {
        Failure::NoLab(format!(
            "{program}: {e}; install iproute2, or use backend af_packet"
        ))
    })?;
    if done.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&done.stderr);
    Err(Failure::NoLab(
        if stderr.contains("qdisc kind is unknown") {
            "this kernel has no netem; load it with `modprobe sch_netem`, or use backend af_packet"
                .into()
        } else {
            format!(
                "`{command}` failed: {}",
                stderr.lines().next().unwrap_or("no reason given")
            )
        },
    ))
}

/// Reject packet logs and captures, which would stay empty.
fn reject_recording(name: &str, spec: &LabSpec) -> Result<(), Failure> {
    require_two_hosts(name, spec)?;
    if spec.packets.is_none() && spec.pcap.is_none() {
        return Ok(());
    }
    Err(Failure::BadInput(format!(
        "backend {name} cannot record packets; leave out packets and pcap, or use backend af_packet"
    )))
}

fn connect_hosts(spec: &LabSpec, here: &File) -> Result<Vec<Box<dyn Port>>, Failure> {
    let [first, second] = [0, 1].map(|i| spec.hosts[i].name.as_str());
    let end = enter_host(second)?;
    enter_host(first)?;
    let ends = ((DEVICE, Some(mac(0))), (DEVICE, mac(1)));
    let made =
        Netlink::open().and_then(|netlink| netlink.add_veth(ends.0, ends.1, end.as_raw_fd()));
    made.and_then(|()| ethtool::offloads_off(DEVICE))
        .map_err(|e| Failure::NoLab(format!("network of host {first}: {e}")))?;
    enter_namespace(here)?;
    Ok(vec![])
}
