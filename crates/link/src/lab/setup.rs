//! Setup of a lab: mounts, hosts, output files, the emulator and its socket.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde_json::json;

use super::spec::LabSpec;
use super::{HOME, mounts, nested, network};
use crate::engine::{Engine, Outputs, Switch, control, packet_log, pcap};
use crate::failure::{Failure, no_lab};
use crate::sys::port::Port;

/// Create mounts, hosts, output files, the emulator and its socket, and a network namespace without
/// devices for the command.
pub fn set_up(spec: &LabSpec, realtime: bool) -> Result<(Engine, File), Failure> {
    // The host name is optional.
    let _ = nix::unistd::sethostname("lab");
    mounts::set_up()?;
    let (ports, own_namespace) = set_up_network(spec)?;
    let names = spec.hosts.iter().map(|host| host.name.as_str());
    let segment = spec.segment.as_ref();
    let pcap_file =
        |path: &Path| pcap::create(path, names, segment.is_some()).map_err(no_lab("pcap"));
    let packet_log = |path: &Path| packet_log::create(path).map_err(no_lab("packet log"));
    let outputs = Outputs {
        packet_log: spec.packets.as_deref().map(packet_log).transpose()?,
        pcap: spec.pcap.as_deref().map(pcap_file).transpose()?,
    };
    let shared = segment.map(|link| link.up.clone());
    // A host whose packets bypass the emulator would have zero counters.
    let emulated_hosts = if spec.backend.backend().emulates() {
        spec.hosts.clone()
    } else {
        vec![]
    };
    let switch = Switch::new(emulated_hosts, shared, spec.seed, outputs.capture_level())?;
    let engine = Engine::new(ports, switch, outputs).map_err(no_lab("emulator"))?;
    write_description(spec, realtime).map_err(no_lab("lab.json"))?;
    let join_handler = nested::join_handler(spec, engine.command_sender());
    let socket = format!("{HOME}/link.sock");
    control::serve(Path::new(&socket), engine.command_sender(), join_handler)
        .map_err(no_lab("control socket"))?;
    Ok((engine, own_namespace))
}

fn write_description(spec: &LabSpec, realtime: bool) -> io::Result<()> {
    let hosts: serde_json::Map<_, _> = spec
        .hosts
        .iter()
        .enumerate()
        .map(|(i, host)| {
            let mac: Vec<String> = network::mac(i)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let address = network::address(i).to_string();
            (
                host.name.clone(),
                json!({"address": address, "mac": mac.join(":"), "link": host.link.text}),
            )
        })
        .collect();
    let mut text = json!({"hosts": hosts, "realtime": realtime, "backend": spec.backend.backend().name(), "seed": spec.seed});
    if let Some(link) = &spec.segment {
        text["segment"] = json!(link.text);
    }
    fs::write(format!("{HOME}/lab.json"), text.to_string())
}

/// Create all hosts, and a namespace for the command. Returns the switch's ports in the order of
/// the hosts, and the command's namespace.
fn set_up_network(spec: &LabSpec) -> Result<(Vec<Box<dyn Port>>, File), Failure> {
    let here = network::open_own_namespace()?;
    network::prepare_switch_namespace();
    for host in &spec.hosts {
        network::new_host(&host.name)?;
        network::enter_namespace(&here)?;
    }
    let backend = spec.backend.backend();
    let ports = backend.connect(spec, &here)?;
    for (index, host) in spec.hosts.iter().enumerate() {
        let others: Vec<usize> = (0..spec.hosts.len())
            .filter(|&other| other != index && backend.is_ethernet())
            .collect();
        network::configure(index, &host.name, &others)?;
        network::enter_namespace(&here)?;
    }
    backend.shape(spec, &here)?;
    let command = network::new_namespace()?;
    network::enter_namespace(&here)?;
    Ok((ports, command))
}
