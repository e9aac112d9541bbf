//! The sample file: a 64-byte header and fixed 64-byte records, little-endian.

/// Magic number at the start of a sample file.
pub const MAGIC: [u8; 8] = *b"WLSAMP01";
/// Size of the header in bytes.
pub const HEADER_LEN: usize = 64;
/// Size of a record in bytes.
pub const RECORD_LEN: usize = 64;
/// Offset of the number of records written.
pub const WRITTEN_AT: usize = 16;
/// Offset of the number of missed records, which did not fit.
pub const MISSED_AT: usize = 24;

/// Flag: delivery was confirmed.
pub const ACKNOWLEDGED: u32 = 1;
/// Flag: the message was refused or given up.
pub const FAILED: u32 = 2;
/// Flag: the message could not be decoded.
pub const UNDECODABLE: u32 = 4;
/// Flag: the message is not in the corpus; `seq` is [`NO_SEQ`].
pub const UNKNOWN: u32 = 8;
/// Flag: the protocol itself marked the message as a duplicate.
pub const DUPLICATE: u32 = 16;

/// `seq` of a message that is not in the corpus.
pub const NO_SEQ: u64 = u64::MAX;

/// One record. Times are ns of `CLOCK_MONOTONIC`, 0 where the role does not write them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sample {
    /// Publisher: index of the message. Subscriber: corpus index, or the number in the identity
    /// header.
    pub seq: u64,
    /// Intended send time.
    pub planned: i64,
    /// When the peer started to process the message.
    pub start: i64,
    /// When the message was encoded, just before the hand-over to the library.
    pub sent: i64,
    /// When the message was acknowledged or given up.
    pub done: i64,
    /// When the library delivered the message.
    pub received: i64,
    /// When every field had been decoded.
    pub decoded: i64,
    /// Encoded size in bytes, without an identity header.
    pub bytes: u32,
    /// Flags.
    pub flags: u32,
}

/// The contents of a sample file.
#[derive(Debug, PartialEq, Eq)]
pub struct Samples {
    /// Records in the order in which they were written.
    pub records: Vec<Sample>,
    /// Number of records that did not fit.
    pub missed: u64,
}

/// Parses a sample file.
///
/// # Errors
/// One sentence if the bytes are not a sample file of version 1.
pub fn parse(bytes: &[u8]) -> Result<Samples, String> {
    if bytes.len() < HEADER_LEN || bytes[..8] != MAGIC {
        return Err("not a sample file: it does not begin with WLSAMP01".into());
    }
    let (version, size) = (u32_at(bytes, 8), u32_at(bytes, 12));
    if version != 1 || size as usize != RECORD_LEN {
        return Err(format!(
            "unsupported version {version} with records of {size} bytes"
        ));
    }
    let written = u64_at(bytes, WRITTEN_AT);
    let body = &bytes[HEADER_LEN..];
    if written > (body.len() / RECORD_LEN) as u64 {
        return Err(format!("truncated: the header says {written} records"));
    }
    let records = body
        .chunks_exact(RECORD_LEN)
        .take(written as usize)
        .map(record)
        .collect();
    Ok(Samples {
        records,
        missed: u64_at(bytes, MISSED_AT),
    })
}

fn record(bytes: &[u8]) -> Sample {
    let time = |at| u64_at(bytes, at) as i64;
    Sample {
        seq: u64_at(bytes, 0),
        planned: time(8),
        start: time(16),
        sent: time(24),
        done: time(32),
        received: time(40),
        decoded: time(48),
        bytes: u32_at(bytes, 56),
        flags: u32_at(bytes, 60),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
