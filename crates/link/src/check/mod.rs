//! `check`: compares a link, or all links of a lab, with its specification, using real packets in a
//! temporary lab.
//!
//! The probe sends UDP datagrams and compares each with the model's decision for a packet sent at
//! that time. So the expectation is exact even where capacity and delay change with time. Send
//! times, the kernel's receive time stamps and the set of arrived packets do not depend on the
//! emulator.

mod control;
mod expectation;
mod path;
mod probe;
mod report;
mod traffic;
mod verdict;

pub use probe::run as run_probe;

use std::ffi::OsString;

use crate::arguments::CheckArguments;
use crate::failure::{Failure, no_lab};
use crate::inputs;
use crate::lab::{self, spec, spec::LabSpec};

/// The host behind the link, and the host on the other side.
const HOSTS: [&str; 2] = ["device", "server"];

/// Check links with real packets. Exit code 0 if they match their specification, 2 if not.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let spec = lab_spec(arguments)?;
    if spec.hosts.len() < 2 {
        return Err(Failure::BadInput(
            "a check needs a lab with at least two hosts".into(),
        ));
    }
    let own = std::env::current_exe().map_err(no_lab("this program's path"))?;
    let own = own
        .to_str()
        .ok_or_else(|| Failure::NoLab("this program's path is not valid UTF-8".into()))?;
    let arguments = std::env::args_os().skip(2).map(OsString::into_string);
    let mut command = vec![own.to_string(), "check-probe".into()];
    for argument in arguments {
        command.push(
            argument.map_err(|_| Failure::BadInput("an argument is not valid UTF-8".into()))?,
        );
    }
    lab::run(&spec, &command)
}

/// The lab to check: the lab of a specification file without its output files, or a lab for one
/// link.
fn lab_spec(arguments: &CheckArguments) -> Result<LabSpec, Failure> {
    match (&arguments.lab, &arguments.link) {
        (Some(file), _) => Ok(LabSpec {
            accounting: None,
            packets: None,
            pcap: None,
            ..spec::read(file)?
        }),
        (None, link) => {
            let link = inputs::parse_link(link.as_deref().unwrap_or("ideal"))?;
            LabSpec::pair(HOSTS, link, arguments.seed, arguments.backend)
        }
    }
}
