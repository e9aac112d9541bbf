//! The lab's first process: sets up the lab, starts the command, and runs the emulator until the
//! command ends.

use std::fs;
use std::io;

use super::command::{report_start_failure, start};
use super::setup::set_up;
use super::spec::LabSpec;
use super::{HOME, reaper};
use crate::engine;
use crate::engine::accounting::Snapshot;
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

/// Write the accounting to a temporary name first, so that readers never see an incomplete file.
fn write_accounting(spec: &LabSpec, last: &Snapshot) -> io::Result<()> {
    let Some(path) = &spec.accounting else {
        return Ok(());
    };
    let part = path.with_extension("part");
    fs::write(&part, last.to_json())?;
    fs::rename(&part, path)
}
