//! Reading of files and link texts, with a size limit.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use wirelab_link_model::{self as model, BadLink, LinkSpec, trace::MAX_FILE_BYTES};

/// Read a file. Errors without reading it if it is not a regular file or larger than `most` bytes.
pub fn read_regular_file(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
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

/// Read a trace file.
pub fn read_trace_file(name: &str) -> Result<Vec<u8>, BadLink> {
    read_regular_file(Path::new(name), MAX_FILE_BYTES)
        .map_err(|why| BadLink::new(format!("trace {name}: {why}")))
}

/// Parse the link text of a segment. Errors if `up` and `down` differ, because all hosts share it.
pub fn parse_segment(text: &str) -> Result<LinkSpec, BadLink> {
    let shared = parse_link(text)?;
    if shared.up != shared.down {
        return Err(BadLink::new(format!(
            "segment '{text}' differs between up and down; use settings for both directions, like rate=95Mbit/s"
        )));
    }
    Ok(shared)
}

/// Parse a link text.
pub fn parse_link(text: &str) -> Result<LinkSpec, BadLink> {
    model::parse_link(text, &read_trace_file)
}
