//! Reading of files and link texts, with a size limit.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use wirelab_link_model::{self as model, BadLink, LinkSpec, trace::MAX_FILE_BYTES};

/// Read a file. Errors without reading it if it is not a regular file or larger than `most` bytes,
/// and if it changes meanwhile.
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
    read_unchanged(&file, most, || ())
}

/// Read an open file. `meanwhile` is called after its bytes were read.
fn read_unchanged(file: &File, most: u64, meanwhile: impl FnOnce()) -> Result<Vec<u8>, String> {
    let state = || -> io::Result<_> {
        let about = file.metadata()?;
        Ok((about.len(), about.modified()?))
    };
    let mut bytes = Vec::new();
    let read = || -> io::Result<bool> {
        let before = state()?;
        file.take(most + 1).read_to_end(&mut bytes)?;
        meanwhile();
        Ok(before == state()?)
    };
    match read() {
        Ok(true) => Ok(bytes),
        Ok(false) => Err("it changed while it was read; copy it, and give the copy".into()),
        Err(error) => Err(error.to_string()),
    }
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_changes_while_it_is_read_is_refused() {
        let path = std::env::temp_dir().join(format!("wirelab-inputs-{}", std::process::id()));
        fs::write(&path, "0 1\n1 2\n").expect("written");
        let file = File::open(&path).expect("open");
        let grown = read_unchanged(&file, 100, || {
            fs::write(&path, "0 1\n1 2\n2 3\n").expect("written")
        });
        assert_eq!(
            grown.unwrap_err(),
            "it changed while it was read; copy it, and give the copy"
        );
        assert_eq!(
            read_regular_file(&path, 100).expect("read"),
            b"0 1\n1 2\n2 3\n"
        );
        fs::remove_file(&path).expect("removed");
        assert!(
            read_regular_file(&path, 100)
                .unwrap_err()
                .contains("No such file")
        );
    }
}
