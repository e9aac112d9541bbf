//! `check`: a link's request against what real packets meet, in a lab of its own.
//!
//! The probe sends UDP datagrams both ways and compares each with what the model says for a packet sent at that moment: the model is
//! the request made exact, also where capacity and delay change with time. Independent of the emulator are the send times, the
//! kernel's receive time stamps and what arrived at all.

mod expect;
mod judge;
mod probe;
mod report;
mod traffic;

pub use probe::run as run_probe;

use crate::engine::HostLink;
use crate::failure::{Failure, no_lab};
use crate::lab::{self, spec::LabSpec, spec::Realtime};
use crate::load;

/// The host behind the link, and the one beyond it.
const HOSTS: [&str; 2] = ["device", "server"];

/// Check a link with real packets. Exit code 0 where it keeps what was asked, 2 where it does not.
pub fn run(text: &str, seed: u64, json: bool) -> Result<u8, Failure> {
    let links = [load::link(text)?, load::link("ideal")?];
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
        pcap: None,
        command_host: None,
        background: None,
    };
    let own = std::env::current_exe().map_err(no_lab("this program's path"))?;
    let mut command = vec![own.display().to_string(), "check-probe".into(), text.into()];
    command.extend(["--seed".into(), seed.to_string()]);
    command.extend(json.then(|| "--json".into()));
    lab::run(&spec, &command)
}
