//! Compressed files: gzip is expanded, others are named.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::MAX_FILE_BYTES;
use crate::error::BadLink;

/// First bytes of compressed files and archives, and what expands them.
const OTHERS: [(&[u8], &str, &str); 5] = [
    (b"\x28\xb5\x2f\xfd", "zstd", "unzstd"),
    (b"\xfd7zXZ\0", "xz", "unxz"),
    (b"BZh", "bzip2", "bunzip2"),
    (b"PK\x03\x04", "zip", "unzip"),
    (b"7z\xbc\xaf", "7z", "7z x"),
];

/// The file's content, and whether it was expanded.
///
/// Errors for damaged gzip, for more than the largest file after it, and for other compressions.
pub(super) fn expand(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, bool), BadLink> {
    if let Some((_, name, command)) = OTHERS.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        return Err(BadLink::new(format!(
            "trace is compressed ({name}); expand it with {command}"
        )));
    }
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return not_archive(Cow::Borrowed(bytes), false);
    }
    let mut expanded = Vec::new();
    MultiGzDecoder::new(bytes)
        .take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut expanded)
        .map_err(|_| BadLink::new("trace is damaged gzip; check it with gzip -t"))?;
    if expanded.len() as u64 > MAX_FILE_BYTES {
        return Err(BadLink::new(
            "trace expands to more than 16 MiB; expand it with gunzip and cut it",
        ));
    }
    not_archive(Cow::Owned(expanded), true)
}

fn not_archive(bytes: Cow<'_, [u8]>, expanded: bool) -> Result<(Cow<'_, [u8]>, bool), BadLink> {
    if bytes.get(257..262) == Some(b"ustar") {
        return Err(BadLink::new(
            "trace is a tar archive; extract it with tar -xf and give one of its files",
        ));
    }
    Ok((bytes, expanded))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use crate::trace::parse;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("a vector");
        encoder.finish().expect("a vector")
    }

    #[test]
    fn gzip_is_expanded_and_that_is_said() {
        let read = parse(&gzip(b"0 1\n1 3\n")).expect("a trace");
        assert_eq!(read.trace.per_second(), vec![1e6, 3e6]);
        assert_eq!(read.notes, ["expanded from gzip"]);
        let parts = [gzip(b"0 1\n"), gzip(b"1 3\n")].concat();
        assert_eq!(parse(&parts).expect("a trace").trace.mean_bps(), 2e6);
    }

    #[test]
    fn what_expands_without_bound_or_is_damaged_is_refused() {
        let said = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        let bomb = gzip(&vec![b'1'; 17 << 20]);
        assert!(bomb.len() < 100_000);
        assert!(said(&bomb).starts_with("trace expands to more than 16 MiB"));
        let whole = gzip(b"0 1\n1 3\n");
        assert!(said(&whole[..whole.len() - 3]).starts_with("trace is damaged gzip"));
        let mut archive = vec![0; 512];
        archive[257..262].copy_from_slice(b"ustar");
        assert!(said(&gzip(&archive)).starts_with("trace is a tar archive"));
        assert_eq!(
            said(b"PK\x03\x04..."),
            "trace is compressed (zip); expand it with unzip"
        );
        assert_eq!(
            said(b"\x28\xb5\x2f\xfd..."),
            "trace is compressed (zstd); expand it with unzstd"
        );
    }
}
