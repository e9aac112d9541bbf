//! Lab specifications (docs/contracts/lab.md).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use wirelab_link_model::LinkSpec;

use crate::engine::HostLink;
use crate::failure::Failure;
use crate::inputs;

/// Largest specification file accepted.
const MAX_BYTES: u64 = 1 << 20;
/// Limit of hosts, given by the address plan and the file descriptors of one process.
pub const MAX_HOSTS: usize = 1000;

/// Variables that a host name must not produce: the lab's directory, and those that wirelab's
/// programs read.
const RESERVED: [&str; 5] = [
    "WIRELAB_LAB",
    "WIRELAB_BIN",
    "WIRELAB_CODECS",
    "WIRELAB_CORPUS",
    "WIRELAB_PACK",
];

/// Whether to use real-time scheduling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Realtime {
    /// If permitted.
    #[default]
    Auto,
    /// Required.
    On,
    /// Never.
    Off,
}

/// The available backends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ValueEnum, Default)]
#[serde(rename_all = "snake_case")]
pub enum BackendKind {
    /// Ethernet through the emulator
    #[default]
    #[serde(alias = "af-packet")]
    #[value(alias = "af_packet")]
    AfPacket,
    /// IP between two hosts through the emulator
    Tun,
    /// The kernel's netem between two hosts, set with tc
    Netem,
    /// Two hosts on a plain veth pair, without any link
    None,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    realtime: Realtime,
    #[serde(default)]
    backend: BackendKind,
    hosts: Vec<Host>,
    #[serde(default)]
    segment: Option<String>,
    accounting: Option<PathBuf>,
    packets: Option<PathBuf>,
    #[serde(default)]
    pcap: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Host {
    name: String,
    #[serde(default = "ideal")]
    link: String,
    #[serde(default)]
    trace_offset_s: f64,
}

fn ideal() -> String {
    "ideal".into()
}

/// A command that runs in parallel to the main command and is ended with it.
#[derive(Debug)]
pub struct Background {
    /// Index of its host.
    pub host: usize,
    /// The command and its arguments.
    pub command: Vec<String>,
}

/// A validated specification.
#[derive(Debug)]
pub struct LabSpec {
    /// Seed of all random draws.
    pub seed: u64,
    /// Scheduling of the emulator.
    pub realtime: Realtime,
    /// How the hosts are connected.
    pub backend: BackendKind,
    /// Hosts; the first has address 10.77.0.1.
    pub hosts: Vec<HostLink>,
    /// The link that every frame passes between its sender's and its receivers' links, shared by
    /// all hosts.
    pub segment: Option<LinkSpec>,
    /// Where to write the counters at the end.
    pub accounting: Option<PathBuf>,
    /// Where to write the packet log.
    pub packets: Option<PathBuf>,
    /// Where to write a pcapng capture.
    pub pcap: Option<PathBuf>,
    /// The host in whose network namespace the command runs. None for a namespace without devices.
    pub command_host: Option<usize>,
    /// A command to start first.
    pub background: Option<Background>,
    /// Whether frames lost by the emulator are a failure, not only a warning.
    pub fail_on_own_drops: bool,
    /// Further variables with the address of a host, by its index, for scripts of the former
    /// release.
    pub former_variables: &'static [(&'static str, usize)],
}

impl LabSpec {
    /// A lab of a host behind `link` and a host on the other side.
    pub fn pair(
        names: [&str; 2],
        link: LinkSpec,
        seed: u64,
        backend: BackendKind,
    ) -> Result<LabSpec, Failure> {
        let links = [link, inputs::parse_link("ideal")?];
        let hosts = names.iter().zip(links);
        let hosts = hosts.map(|(name, link)| HostLink::new(name, link));
        Ok(LabSpec {
            seed,
            realtime: Realtime::Auto,
            backend,
            hosts: hosts.collect(),
            segment: None,
            accounting: None,
            packets: None,
            pcap: None,
            command_host: None,
            background: None,
            fail_on_own_drops: false,
            former_variables: &[],
        })
    }
}

/// Read and check a specification file.
pub fn read(path: &Path) -> Result<LabSpec, Failure> {
    let refuse = |why: String| Failure::BadInput(format!("lab {}: {why}", path.display()));
    let bytes = inputs::read_regular_file(path, MAX_BYTES).map_err(refuse)?;
    let file: File = serde_json::from_slice(&bytes).map_err(|e| refuse(e.to_string()))?;
    resolve(file).map_err(|failure| refuse(failure.to_string()))
}

fn resolve(file: File) -> Result<LabSpec, Failure> {
    let bad = |sentence: String| Err(Failure::BadInput(sentence));
    if file.hosts.is_empty() || file.hosts.len() > MAX_HOSTS {
        return bad(format!(
            "{} hosts; a lab has 1 to {MAX_HOSTS}",
            file.hosts.len()
        ));
    }
    let mut names = HashSet::new();
    let mut hosts = Vec::new();
    for host in file.hosts {
        if !good_name(&host.name) {
            return bad(format!(
                "host name '{}' is not 1 to 32 letters, digits or '-'",
                host.name.escape_debug()
            ));
        }
        if !names.insert(variable(&host.name)) {
            return bad(format!(
                "host '{}' is a duplicate, or another host has the same variable {}; names must differ",
                host.name,
                variable(&host.name)
            ));
        }
        if RESERVED.contains(&variable(&host.name).as_str()) {
            return bad(format!(
                "host '{}' would set the reserved variable {}; choose another name",
                host.name,
                variable(&host.name)
            ));
        }
        if !(0.0..=1e6).contains(&host.trace_offset_s) {
            return bad(format!(
                "trace_offset_s {} of host '{}' is not between 0 and 1000000",
                host.trace_offset_s, host.name
            ));
        }
        let link = inputs::parse_link(&host.link)?;
        hosts.push(HostLink {
            trace_offset_ns: (host.trace_offset_s * 1e9).round() as u64,
            ..HostLink::new(&host.name, link)
        });
    }
    Ok(LabSpec {
        seed: file.seed,
        realtime: file.realtime,
        backend: file.backend,
        hosts,
        segment: file
            .segment
            .as_deref()
            .map(inputs::parse_segment)
            .transpose()?,
        accounting: file.accounting,
        packets: file.packets,
        pcap: file.pcap,
        command_host: None,
        background: None,
        fail_on_own_drops: false,
        former_variables: &[],
    })
}

/// The environment variable with a host's address.
pub fn variable(host: &str) -> String {
    format!("WIRELAB_{}", host.to_ascii_uppercase().replace('-', "_"))
}

/// Whether a name is valid as a file name and host name.
fn good_name(name: &str) -> bool {
    (1..=32).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}
