//! `check`: a link's request against what real packets meet, in a lab of its own; or that of all links of a lab.
//!
//! The probe sends UDP datagrams and compares each with what the model says for a packet sent at that moment: the model is
//! the request made exact, also where capacity and delay change with time. Independent of the emulator are the send times, the
//! kernel's receive time stamps and what arrived at all.

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

/// The host behind the link, and the one beyond it.
const HOSTS: [&str; 2] = ["device", "server"];

/// Check links with real packets. Exit code 0 where they keep what was asked, 2 where they do not.
pub fn run(asked: &CheckArguments) -> Result<u8, Failure> {
    let spec = spec_of(asked)?;
    spec.backend.backend().accepts(&spec)?;
    if spec.hosts.len() < 2 {
        return Err(Failure::BadInput(
            "a check takes a lab of two hosts or more".into(),
        ));
    }
    let own = std::env::current_exe().map_err(no_lab("this program's path"))?;
    let own = own
        .to_str()
        .ok_or_else(|| Failure::NoLab("this program's path is no text".into()))?;
    let arguments = std::env::args_os().skip(2).map(OsString::into_string);
    let mut command = vec![own.to_string(), "check-probe".into()];
    for argument in arguments {
        command.push(argument.map_err(|_| Failure::BadInput("an argument is no text".into()))?);
    }
    lab::run(&spec, &command)
}

/// The lab that is checked: the one of a file without its files, or one for a link.
fn spec_of(asked: &CheckArguments) -> Result<LabSpec, Failure> {
    match (&asked.lab, &asked.link) {
        (Some(file), _) => Ok(LabSpec {
            accounting: None,
            packets: None,
            pcap: None,
            ..spec::read(file)?
        }),
        (None, link) => {
            let link = inputs::parse_link(link.as_deref().unwrap_or("ideal"))?;
            LabSpec::pair(HOSTS, link, asked.seed, asked.backend)
        }
    }
}
