//! `exec`: run a command in the network namespace of a host.

use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::sched::{CloneFlags, setns};
use wirelab_link_model::did_you_mean;

use crate::failure::Failure;
use crate::lab::HOME;

/// Host names of `run` in the former release, and the present ones.
const FORMER_NAMES: [(&str, &str); 2] = [("near", "client"), ("far", "server")];

/// Replace this process by `command` on `host`.
pub fn run(host: &str, command: &[String]) -> Result<u8, Failure> {
    let hosts = hosts().ok_or_else(|| {
        Failure::NoLab(
            "there is no lab here; run this inside `wirelab link lab` or `wirelab link run`".into(),
        )
    })?;
    let is_host = |host: &str| hosts.iter().any(|name| name == host);
    let former = FORMER_NAMES
        .iter()
        .find(|&&(former, now)| host == former && is_host(now));
    let host = match former {
        Some((former, now)) if !is_host(host) => {
            eprintln!("wirelab-link: note: host {former} is now {now}; {former} will be removed");
            now
        }
        _ => host,
    };
    if !is_host(host) {
        let hint = did_you_mean(host, hosts.iter().map(String::as_str), || {
            format!("the hosts are {}", hosts.join(", "))
        });
        return Err(Failure::BadInput(format!(
            "no host '{host}' in this lab; {hint}"
        )));
    }
    let failed = |error: String| Failure::NoLab(format!("entering host {host}: {error}"));
    let namespace = File::open(format!("{HOME}/ns/{host}")).map_err(|e| failed(e.to_string()))?;
    setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET).map_err(|e| failed(e.to_string()))?;
    let error = Command::new(&command[0]).args(&command[1..]).exec();
    eprintln!("wirelab-link: {}: {error}", command[0]);
    Ok(if error.kind() == std::io::ErrorKind::NotFound {
        127
    } else {
        126
    })
}

fn hosts() -> Option<Vec<String>> {
    let entries = fs::read_dir(format!("{HOME}/ns")).ok()?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    names.sort();
    (!names.is_empty()).then_some(names)
}
