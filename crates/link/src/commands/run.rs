//! `run`: a command behind a link, and beyond the link a host for what it talks to.

use std::path::PathBuf;

use crate::engine::HostLink;
use crate::failure::Failure;
use crate::lab::spec::{Background, LabSpec, Realtime};
use crate::{lab, load};

/// The command's host, and the one beyond the link.
const HOSTS: [&str; 2] = ["near", "far"];

/// Run `command` behind `link`; `far` is a shell command to start first on the other host; `pcap` a file to capture to.
pub fn run(
    link: &str,
    seed: u64,
    far: Option<String>,
    pcap: Option<PathBuf>,
    command: &[String],
) -> Result<u8, Failure> {
    let links = [load::link(link)?, load::link("ideal")?];
    let hosts = HOSTS.iter().zip(links).map(|(name, link)| HostLink {
        name: (*name).into(),
        link,
        trace_offset_ns: 0,
    });
    let spec = LabSpec {
        seed,
        realtime: Realtime::Auto,
        hosts: hosts.collect(),
        segment: None,
        accounting: None,
        packets: None,
        pcap,
        command_host: Some(0),
        background: far.map(|line| Background {
            host: 1,
            command: vec!["sh".into(), "-c".into(), line],
        }),
    };
    lab::run(&spec, command)
}
