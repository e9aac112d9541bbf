//! Peak memory of a process that runs a single phase.

use serde::Serialize;
use wirelab_codec::{Error, Phase};

use crate::{Loaded, print};

#[derive(Serialize)]
struct Peak<'a> {
    codec: &'a str,
    phase: Option<Phase>,
    peak_bytes: u64,
}

/// Runs a phase and prints the peak resident set of this process. Run one codec and phase per
/// process, because the peak includes earlier ones. Without a phase: the memory of pack and
/// messages alone.
pub fn run(loaded: &Loaded, phase: Option<Phase>, iterations: u64) -> Result<(), Error> {
    for codec in &loaded.codecs {
        if let Some(phase) = phase {
            let mut session = loaded.corpus.session(codec)?;
            session.run(phase, 0, session.len(), iterations)?;
        }
        print(&Peak {
            codec,
            phase,
            peak_bytes: peak_bytes()?,
        })?;
    }
    Ok(())
}

/// `VmHWM` of /proc/self/status. getrusage's `ru_maxrss` also includes the process image before
/// exec.
fn peak_bytes() -> Result<u64, Error> {
    let status = std::fs::read_to_string("/proc/self/status")
        .map_err(|error| Error::Pack(format!("/proc/self/status: {error}")))?;
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.map(|kib| kib * 1024)
        .ok_or_else(|| Error::Pack("/proc/self/status: has no VmHWM".into()))
}
