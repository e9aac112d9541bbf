//! The lab's first process: sets up the lab, starts the command, and runs the emulator until the
//! command ends.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};

use nix::sched::{CloneFlags, setns};
use nix::sys::signal::SigSet;
use serde_json::json;

use super::spec::{LabSpec, variable};
use super::{HOME, mounts, nested, network, reaper};
use crate::engine::accounting::Snapshot;
use crate::engine::{self, Engine, Outputs, Switch, control, packet_log, pcap};
use crate::failure::{Failure, no_lab};
use crate::sys::sched;

/// Set up, run, tear down. Returns the command's exit code.
pub fn run(spec: &LabSpec, command: &[String]) -> Result<u8, Failure> {
    let realtime = sched::is_realtime() && sched::keep_to_this_thread().is_ok();
    // Set up on a thread with ordinary scheduling: while another lab holds the kernel's network
    // lock, system calls of the setup are repeated until it is free. Real-time threads doing that
    // on every core would keep the lock's holder from running.
    let (engine, own_namespace) =
        std::thread::scope(|scope| scope.spawn(|| set_up(spec, realtime)).join())
            .map_err(|_| Failure::NoLab("setting up failed".into()))??;
    let open_host = |host: usize| {
        fs::File::open(format!("{HOME}/ns/{}", spec.hosts[host].name)).map_err(no_lab("namespace"))
    };
    let namespace = spec.command_host.map_or(Ok(own_namespace), open_host)?;
    if let Some(background) = &spec.background {
        // The reaper collects it like any other process of the lab.
        start(spec, &background.command, &open_host(background.host)?)
            .map_err(no_lab(&background.command[0]))?;
    }
    let child = match start(spec, command, &namespace) {
        Ok(child) => child,
        Err(error) => return Ok(report_start_failure(&command[0], &error)),
    };
    let commands = engine.command_sender();
    let stop = move || commands.send(engine::Command::Stop);
    let ended = reaper::start(child, stop).map_err(no_lab("reaper"))?;
    let (last, written) = engine.run();
    let _ = sched::become_ordinary();
    written
        .map_err(|e| Failure::Failed(format!("the packet log or capture is incomplete: {e}")))?;
    write_accounting(spec, &last)
        .map_err(|e| Failure::Failed(format!("the accounting could not be written: {e}")))?;
    let code = ended.recv().map_err(no_lab("reaper"))?;
    if last.own_drops == 0 {
        return Ok(code);
    }
    let message = format!(
        "the emulator itself lost {} frames, so this measurement is invalid; send smaller bursts, or use a less busy machine",
        last.own_drops
    );
    if spec.fail_on_own_drops && code == 0 {
        return Err(Failure::Failed(message));
    }
    eprintln!("wirelab-link: {message}");
    Ok(code)
}

/// Create mounts, hosts, output files, the emulator and its socket, and a network namespace without
/// devices for the command.
fn set_up(spec: &LabSpec, realtime: bool) -> Result<(Engine, fs::File), Failure> {
    // The host name is optional.
    let _ = nix::unistd::sethostname("lab");
    mounts::set_up()?;
    let (ports, own_namespace) = network::set_up(spec)?;
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
    describe(spec, realtime).map_err(no_lab("lab.json"))?;
    let join_handler = nested::join_handler(spec, engine.command_sender());
    let socket = format!("{HOME}/link.sock");
    control::serve(Path::new(&socket), engine.command_sender(), join_handler)
        .map_err(no_lab("control socket"))?;
    Ok((engine, own_namespace))
}

fn describe(spec: &LabSpec, realtime: bool) -> io::Result<()> {
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

fn start(spec: &LabSpec, command: &[String], namespace: &fs::File) -> io::Result<Child> {
    let mut child = Command::new(&command[0]);
    child
        .args(&command[1..])
        .env("TMPDIR", format!("{HOME}/tmp"))
        .env("WIRELAB_LAB", HOME);
    for (i, host) in spec.hosts.iter().enumerate() {
        child.env(variable(&host.name), network::address(i).to_string());
    }
    for &(name, host) in spec.former_variables {
        child.env(name, network::address(host).to_string());
    }
    start_in(child, namespace)
}

/// Start a command in a network namespace, with no signals blocked.
pub(super) fn start_in(mut child: Command, namespace: &fs::File) -> io::Result<Child> {
    let fd = namespace.as_raw_fd();
    let enter = move || {
        // SAFETY: the parent keeps the descriptor open until after this fork's exec.
        let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
        setns(fd.as_fd(), CloneFlags::CLONE_NEWNET)?;
        SigSet::empty().thread_set_mask()?;
        Ok(())
    };
    // SAFETY: `enter` makes two system calls and allocates nothing.
    unsafe { child.pre_exec(enter) };
    child.spawn()
}

/// Report why a command did not start. Returns the matching exit code.
pub(super) fn report_start_failure(name: &str, error: &io::Error) -> u8 {
    eprintln!("wirelab-link: {name}: {error}");
    if error.kind() == io::ErrorKind::NotFound {
        127
    } else {
        126
    }
}

/// Write the accounting to a temporary name first, so that readers never see an incomplete file.
fn write_accounting(spec: &LabSpec, last: &Snapshot) -> io::Result<()> {
    let Some(path) = &spec.accounting else {
        return Ok(());
    };
    let part = path.with_extension("part");
    fs::write(&part, last.to_json())?;
    fs::rename(&part, path)
}
