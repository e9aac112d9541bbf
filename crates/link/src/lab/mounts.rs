//! Mounts of a lab: the machine's file system, with its own /proc, /run/wirelab and temporary
//! files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::mount::{MsFlags, mount};

use super::HOME;
use crate::failure::{Failure, no_lab};

/// Where the new /run is assembled: a directory that every system has.
const STAGE: &str = "/tmp";
const NOTHING: Option<&str> = None;

/// Private mounts: a /proc of this PID namespace, and a fresh /run/wirelab.
pub fn set_up() -> Result<(), Failure> {
    mount(
        NOTHING,
        "/",
        NOTHING,
        MsFlags::MS_REC | MsFlags::MS_PRIVATE,
        NOTHING,
    )
    .map_err(no_lab("private mounts"))?;
    own_proc()?;
    overlay_run()?;
    fs::create_dir_all(format!("{HOME}/tmp")).map_err(no_lab("making /run/wirelab"))?;
    fs::create_dir_all(format!("{HOME}/ns")).map_err(no_lab("making /run/wirelab"))?;
    // So that commands with their own mount namespace see hosts that are added later.
    mount(NOTHING, "/run", NOTHING, MsFlags::MS_SHARED, NOTHING).map_err(no_lab("sharing /run"))
}

/// For a command within a lab: the lab's mounts, and a /proc of its own PID namespace.
pub fn set_up_command() -> Result<(), Failure> {
    let follow = MsFlags::MS_REC | MsFlags::MS_SLAVE;
    mount(NOTHING, "/", NOTHING, follow, NOTHING).map_err(no_lab("private mounts"))?;
    own_proc()
}

fn own_proc() -> Result<(), Failure> {
    let safe = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), safe, NOTHING).map_err(no_lab("mounting /proc"))
}

/// A directory in /run would need root, and would remain afterwards. So /run becomes a tmpfs with
/// bind mounts of the old entries.
fn overlay_run() -> Result<(), Failure> {
    let tmpfs = |at: &str| {
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
        mount(Some("wirelab"), at, Some("tmpfs"), flags, Some("mode=0755"))
    };
    // The new /run is assembled elsewhere while the old one is visible, and then moved over it.
    let old = fs::read_dir("/run").map_err(no_lab("reading /run"))?;
    tmpfs(STAGE).map_err(no_lab("mounting a tmpfs"))?;
    for entry in old.flatten() {
        let name = entry.file_name();
        if name != "wirelab" {
            // An entry that cannot be bound is missing inside; the lab does not need any of them.
            let _ = bind(&entry.path(), &Path::new(STAGE).join(name));
        }
    }
    mount(Some(STAGE), "/run", NOTHING, MsFlags::MS_MOVE, NOTHING)
        .map_err(no_lab("mounting /run"))?;
    Ok(())
}

fn bind(from: &Path, to: &Path) -> std::io::Result<()> {
    let about = fs::symlink_metadata(from)?;
    if about.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if about.is_dir() {
        fs::create_dir(to)?;
    } else {
        fs::write(to, "")?;
    }
    Ok(mount(
        Some(from),
        to,
        NOTHING,
        MsFlags::MS_BIND | MsFlags::MS_REC,
        NOTHING,
    )?)
}

/// Bind this thread's network namespace to a name, for `exec`.
pub fn name_namespace(name: &str) -> Result<(), Failure> {
    let path = format!("{HOME}/ns/{name}");
    fs::write(&path, "").map_err(no_lab("naming a namespace"))?;
    mount(
        Some("/proc/thread-self/ns/net"),
        path.as_str(),
        NOTHING,
        MsFlags::MS_BIND,
        NOTHING,
    )
    .map_err(no_lab("naming a namespace"))
}
