//! Reading files and link texts, with a bound on what is read.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use wirelab_link_model::{self as model, BadLink, LinkSpec, trace::MAX_FILE_BYTES};

/// The bytes of a file; refuses in a sentence what is no regular file or too large, before reading it.
pub fn read_regular_file(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    // Opening a named pipe would wait for somebody to write to it.
    let mut options = OpenOptions::new();
    let options = options.read(true).custom_flags(libc::O_NONBLOCK);
    let file = options.open(path).map_err(|e| e.to_string())?;
    let about = file.metadata().map_err(|e| e.to_string())?;
    if !about.is_file() {
        return Err("not a regular file".into());
    }
    if about.len() > most {
        return Err(format!("larger than {} MiB; cut it", most >> 20));
    }
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// The bytes of a trace file.
pub fn read_trace_file(name: &str) -> Result<Vec<u8>, BadLink> {
    read_regular_file(Path::new(name), MAX_FILE_BYTES)
        .map_err(|why| BadLink::new(format!("trace {name}: {why}")))
}

/// The link that all hosts share. It has no directions: what differs between `up` and `down` is refused.
pub fn parse_segment(text: &str) -> Result<LinkSpec, BadLink> {
    let shared = parse_link(text)?;
    if shared.up != shared.down {
        return Err(BadLink::new(format!(
            "segment '{text}' differs between up and down, but all hosts share it; give settings of both, like rate=95Mbit/s"
        )));
    }
    Ok(shared)
}

/// The link a text means.
pub fn parse_link(text: &str) -> Result<LinkSpec, BadLink> {
    model::parse_link(text, &read_trace_file)
}
