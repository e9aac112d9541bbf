//! Nested links: a command on a new host, whose link begins behind the link of the calling host.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use nix::sched::{CloneFlags, unshare};
use serde_json::{Value, json};

use super::backend;
use super::command::{report_start_failure, start_in};
use super::spec::{BackendKind, LabSpec, MAX_HOSTS};
use super::supervisor::supervise;
use super::{HOME, mounts, network, reaper};
use crate::engine::control::{JoinHandler, JoinRequest};
use crate::engine::{self, CommandSender, HostLink, Nesting, NewHost};
use crate::failure::{Failure, no_lab};
use crate::inputs;
use crate::sys::process::Namespaces;

/// The host of a lab on which this process runs, if any.
pub fn find_own_host() -> Option<String> {
    let own = fs::metadata("/proc/self/ns/net").ok()?;
    let same = |entry: &fs::DirEntry| {
        let about = fs::metadata(entry.path());
        about.is_ok_and(|about| (about.dev(), about.ino()) == (own.dev(), own.ino()))
    };
    let entries = fs::read_dir(format!("{HOME}/ns")).ok()?;
    entries.flatten().find(same)?.file_name().into_string().ok()
}

/// Hosts on which a server command is started: `server`, or `far`, its name in the former release.
const SERVER_HOSTS: [&str; 2] = ["server", "far"];

/// Run `command` on a new host behind `join.behind`, and `server_command` before it on host
/// `server`. Returns the exit code.
pub fn run(
    join: &JoinRequest,
    server_command: Option<&str>,
    command: &[String],
) -> Result<u8, Failure> {
    let host = request_host(join)?;
    supervise(Namespaces::OfACommand, || {
        mounts::set_up_command()?;
        if let Some(line) = server_command {
            let mut server = Command::new("sh");
            server.args(["-c", line]);
            start_in(server, &server_namespace()?).map_err(no_lab("sh"))?;
        }
        let mut child = Command::new(&command[0]);
        child.args(&command[1..]);
        let child = match start_in(child, &namespace(&host)?) {
            Ok(child) => child,
            Err(error) => return Ok(report_start_failure(&command[0], &error)),
        };
        let ended = reaper::start(child, || {}).map_err(no_lab("reaper"))?;
        ended.recv().map_err(no_lab("reaper"))
    })
}

fn server_namespace() -> Result<File, Failure> {
    let server = SERVER_HOSTS.iter().find_map(|host| namespace(host).ok());
    server.ok_or_else(|| {
        Failure::NoLab(
            "this lab has no host 'server' to start --server-cmd on; leave it out".into(),
        )
    })
}

fn namespace(host: &str) -> Result<File, Failure> {
    File::open(format!("{HOME}/ns/{host}")).map_err(no_lab(host))
}

/// Request the new host from the lab's first process.
fn request_host(join: &JoinRequest) -> Result<String, Failure> {
    let exchange = || -> io::Result<Value> {
        let mut control = UnixStream::connect(format!("{HOME}/link.sock"))?;
        let mut request = json!(join);
        request["cmd"] = json!("join");
        writeln!(control, "{request}")?;
        let mut line = String::new();
        BufReader::new(control).read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    };
    let answer = exchange().map_err(no_lab("the lab's control socket"))?;
    match (&answer["host"], &answer["error"]) {
        (Value::String(host), _) => Ok(host.clone()),
        (_, Value::String(error)) => Err(Failure::NoLab(error.clone())),
        _ => Err(Failure::NoLab(
            "the lab's control socket did not answer with a host".into(),
        )),
    }
}

/// The handler of such requests in the lab's first process.
pub fn join_handler(spec: &LabSpec, commands: CommandSender) -> Arc<JoinHandler> {
    let names = spec.hosts.iter().map(|host| host.name.clone()).collect();
    let host_names: Mutex<Vec<String>> = Mutex::new(names);
    let refused = if spec.backend != BackendKind::AfPacket {
        Some("nested links need backend af_packet")
    } else if spec.pcap.is_some() {
        Some("a lab with a capture cannot add hosts; leave out pcap")
    } else {
        None
    };
    Arc::new(move |join: &JoinRequest| {
        if let Some(why) = refused {
            return Err(why.into());
        }
        let mut names = host_names
            .lock()
            .map_err(|_| "adding an earlier host failed")?;
        let name =
            std::thread::scope(|scope| scope.spawn(|| add_host(join, &names, &commands)).join())
                .map_err(|_| "setting up failed")?
                .map_err(|failure| failure.to_string())?;
        names.push(name.clone());
        Ok(name)
    })
}

/// Create the host. Needs its own thread, because it changes the thread's network namespace and
/// working directory.
fn add_host(
    join: &JoinRequest,
    names: &[String],
    commands: &CommandSender,
) -> Result<String, Failure> {
    let index = names.len();
    let name = format!("{}-{}", join.behind, index + 1);
    let parent = names.iter().position(|host| *host == join.behind);
    let parent = parent.ok_or_else(|| Failure::BadInput(format!("no host '{}'", join.behind)))?;
    if index == MAX_HOSTS || names.contains(&name) {
        return Err(Failure::BadInput(format!(
            "no more hosts can be added: the limit is 1000 hosts, or the name {name} is taken"
        )));
    }
    unshare(CloneFlags::CLONE_FS).map_err(no_lab("folder"))?;
    std::env::set_current_dir(&join.folder).map_err(no_lab("folder"))?;
    let link = inputs::parse_link(&join.link)?;
    let here = network::open_own_namespace()?;
    network::new_host(&name)?;
    network::enter_namespace(&here)?;
    let port = backend::attach(index, &name, &here)?;
    network::configure(index, &name, &(0..index).collect::<Vec<_>>())?;
    for other in names {
        network::add_neighbour(other, index)?;
    }
    let nesting = Some(Nesting {
        parent,
        seed: join.seed,
    });
    let host = HostLink {
        nesting,
        ..HostLink::new(&name, link)
    };
    let (reply, answer) = channel();
    commands.send(engine::Command::AddHost(
        Box::new(NewHost { host, port }),
        reply,
    ));
    let joined = answer.recv().map_err(no_lab("the lab has ended"))?;
    joined.map_err(Failure::NoLab)?;
    Ok(name)
}
