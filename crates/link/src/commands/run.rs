//! `run`: a command on host `client` behind a link, and host `server` on the other side of the
//! link.

use super::netem;
use crate::arguments::RunArguments;
use crate::engine::control::JoinRequest;
use crate::failure::{Failure, no_lab};
use crate::lab::nested;
use crate::lab::network::DEVICE;
use crate::lab::spec::BackendKind;
use crate::lab::spec::{Background, LabSpec};
use crate::{inputs, lab};

/// The host behind the link, which runs the command, and the host on the other side.
const HOSTS: [&str; 2] = ["client", "server"];
/// The variables of the hosts' addresses in the former release, set for one more.
const FORMER_VARIABLES: [(&str, usize); 2] = [("WIRELAB_NEAR", 0), ("WIRELAB_FAR", 1)];

/// Run a command behind a link, or print the commands that configure netem.
///
/// On a host of a lab, the link begins behind that host's link.
pub fn run(mut arguments: RunArguments) -> Result<u8, Failure> {
    if let Some(command) = arguments.far.take() {
        eprintln!("wirelab-link: note: --far is now --server-cmd; --far will be removed");
        arguments.server_cmd = Some(command);
    }
    if let Some(host) = nested::find_own_host().filter(|_| !arguments.plan) {
        return run_nested(host, &arguments);
    }
    let link = inputs::parse_link(&arguments.link)?;
    let spec = LabSpec {
        pcap: arguments.pcap,
        command_host: Some(0),
        fail_on_own_drops: true,
        former_variables: &FORMER_VARIABLES,
        background: arguments.server_cmd.map(|line| Background {
            host: 1,
            command: vec!["sh".into(), "-c".into(), line],
        }),
        ..LabSpec::pair(HOSTS, link, arguments.seed, arguments.backend)?
    };
    if arguments.plan {
        return print_plan(&spec);
    }
    lab::run(&spec, &arguments.command)
}

fn run_nested(host: String, arguments: &RunArguments) -> Result<u8, Failure> {
    // Checked here so that the error quotes the user's own text.
    inputs::parse_link(&arguments.link)?;
    if arguments.pcap.is_some() || arguments.backend != BackendKind::AfPacket {
        return Err(Failure::BadInput(
            "a nested link uses the outer lab's capture and backend; leave out --pcap and --backend".into(),
        ));
    }
    let folder = std::env::current_dir().map_err(no_lab("current directory"))?;
    let join = JoinRequest {
        behind: host,
        link: arguments.link.clone(),
        folder,
        seed: arguments.seed,
    };
    nested::run(&join, arguments.server_cmd.as_deref(), &arguments.command)
}

/// Print the commands that configure netem, each as it can be run inside the lab.
fn print_plan(spec: &LabSpec) -> Result<u8, Failure> {
    if spec.backend != BackendKind::Netem {
        return Err(Failure::BadInput(format!(
            "backend {} is not configured by commands; --plan prints those of --backend netem",
            spec.backend.backend().name()
        )));
    }
    spec.backend.backend().accepts(spec)?;
    let prefixes = HOSTS.map(|host| format!("wirelab-link exec {host} -- "));
    netem::print(
        &spec.hosts[0].link,
        [
            (&prefixes[0], DEVICE, "the device of host client"),
            (&prefixes[1], DEVICE, "the device of host server"),
        ],
    );
    Ok(0)
}
