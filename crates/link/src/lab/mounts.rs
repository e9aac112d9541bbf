//! What the lab's processes see of the file system: the machine's, but for /proc, /run/wirelab and the temporary files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::mount::{MsFlags, mount};

use super::HOME;
use crate::failure::{Failure, no_lab};

/// Where the new /run is put together: a place every system has.
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
    // Commands within the lab that have mounts of their own see hosts that come later.
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

/// A directory in /run needs root, and would stay behind. So /run becomes a tmpfs into which the old entries are bound.
fn overlay_run() -> Result<(), Failure> {
    let tmpfs = |at: &str| {
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
        mount(Some("wirelab"), at, Some("tmpfs"), flags, Some("mode=0755"))
    };
    // The new /run is put together at a place every system has, with the old one still in sight, and then moved over it.
    let old = fs::read_dir("/run").map_err(no_lab("reading /run"))?;
    tmpfs(STAGE).map_err(no_lab("mounting a tmpfs"))?;
    for entry in old.flatten() {
        let name = entry.file_name();
        if name != "wirelab" {
            // An entry that cannot be bound is not seen inside; nothing of the lab depends on any.
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

/// Keep this thread's network namespace under a name, for `exec`.
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
