//! Reading trace files and link texts, with a bound on what is read.

use std::fs::File;
use std::io::Read;

use wirelab_link_model::{BadLink, LinkSpec, parse_link, trace::MAX_FILE_BYTES};

/// The bytes of a trace file; refuses what is no regular file or too large before reading it.
pub fn trace_file(name: &str) -> Result<Vec<u8>, BadLink> {
    let refuse = |why: String| BadLink::new(format!("trace {name}: {why}"));
    let file = File::open(name).map_err(|e| refuse(e.to_string()))?;
    let about = file.metadata().map_err(|e| refuse(e.to_string()))?;
    if !about.is_file() {
        return Err(refuse("not a regular file".into()));
    }
    if about.len() > MAX_FILE_BYTES {
        return Err(refuse("larger than 16 MiB; cut it".into()));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| refuse(e.to_string()))?;
    Ok(bytes)
}

/// The link that all hosts share. It has no directions: what differs between `up` and `down` is refused.
pub fn segment(text: &str) -> Result<LinkSpec, BadLink> {
    let shared = link(text)?;
    if shared.up != shared.down {
        return Err(BadLink::new(format!(
            "segment '{text}' differs between up and down, but all hosts share it; give settings of both, like rate=95Mbit/s"
        )));
    }
    Ok(shared)
}

/// The link a text means.
pub fn link(text: &str) -> Result<LinkSpec, BadLink> {
    parse_link(text, &trace_file)
}
