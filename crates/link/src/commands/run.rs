//! `run`: a command behind a link, and beyond the link a host for what it talks to.

use super::netem;
use crate::arguments::RunArguments;
use crate::engine::control::JoinRequest;
use crate::failure::{Failure, no_lab};
use crate::lab::backend::Kind;
use crate::lab::nested;
use crate::lab::network::DEVICE;
use crate::lab::spec::{Background, LabSpec};
use crate::{inputs, lab};

/// The command's host, and the one beyond the link.
const HOSTS: [&str; 2] = ["near", "far"];

/// Run a command behind a link, or print how netem would be told.
///
/// Within a lab, the link begins behind that of the host this runs on.
pub fn run(asked: RunArguments) -> Result<u8, Failure> {
    if let Some(host) = nested::find_own_host().filter(|_| !asked.plan) {
        return within(host, &asked);
    }
    let link = inputs::parse_link(&asked.link)?;
    let spec = LabSpec {
        pcap: asked.pcap,
        command_host: Some(0),
        fail_on_own_drops: true,
        background: asked.far.map(|line| Background {
            host: 1,
            command: vec!["sh".into(), "-c".into(), line],
        }),
        ..LabSpec::pair(HOSTS, link, asked.seed, asked.backend)?
    };
    asked.backend.backend().accepts(&spec)?;
    if asked.plan {
        return plan(&spec);
    }
    lab::run(&spec, &asked.command)
}

fn within(host: String, asked: &RunArguments) -> Result<u8, Failure> {
    // Refused here, where the sentence is the user's own.
    inputs::parse_link(&asked.link)?;
    if asked.pcap.is_some() || asked.backend != Kind::AfPacket {
        return Err(Failure::BadInput(
            "a link within a lab is part of that lab; leave out --pcap and --backend".into(),
        ));
    }
    let folder = std::env::current_dir().map_err(no_lab("this folder"))?;
    let join = JoinRequest {
        behind: host,
        link: asked.link.clone(),
        folder,
        seed: asked.seed,
    };
    nested::run(&join, asked.far.as_deref(), &asked.command)
}

/// The commands netem is set with, each as it can be run inside the lab.
fn plan(spec: &LabSpec) -> Result<u8, Failure> {
    if spec.backend != Kind::Netem {
        return Err(Failure::BadInput(format!(
            "backend {} is set with no commands; --plan prints those of --backend netem",
            spec.backend.backend().name()
        )));
    }
    let on = HOSTS.map(|host| format!("wirelab-link exec {host} -- "));
    netem::print(
        &spec.hosts[0].link,
        [
            (&on[0], DEVICE, "the device of near"),
            (&on[1], DEVICE, "the device of far"),
        ],
    );
    Ok(0)
}
