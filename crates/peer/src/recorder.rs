//! Writes the sample file through a shared memory map, so that a crash of the peer loses no
//! records.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use memmap2::{Advice, MmapOptions, MmapRaw};
use wirelab_contract::Fault;
use wirelab_contract::sample::{HEADER_LEN, MAGIC, MISSED_AT, RECORD_LEN, Sample, WRITTEN_AT};

#[cfg(target_endian = "big")]
compile_error!("sample files are little-endian and written as native integers");

/// One record in the map. Relaxed atomic stores cost as much as plain stores, and allow the thread
/// that learns of an acknowledgement to write concurrently with the sending thread.
#[repr(C)]
struct Slot {
    seq: AtomicU64,
    planned: AtomicI64,
    start: AtomicI64,
    sent: AtomicI64,
    done: AtomicI64,
    received: AtomicI64,
    decoded: AtomicI64,
    bytes: AtomicU32,
    flags: AtomicU32,
}

const _: () = assert!(size_of::<Slot>() == RECORD_LEN);

/// Number of bytes that are prefaulted: one million records. An unbounded flood may have a sample
/// file larger than the memory of a small machine.
const PREFAULT_BYTES: usize = 64 << 20;

/// A sample file open for writing.
pub struct Recorder {
    map: MmapRaw,
    capacity: usize,
}

/// The only appender to a sample file.
pub struct Writer {
    recorder: Arc<Recorder>,
    written: usize,
    missed: u64,
}

impl Recorder {
    /// Creates a sample file for `capacity` records. Its disk blocks are allocated and its pages
    /// prefaulted.
    ///
    /// # Errors
    /// A fatal fault if the file cannot be created or does not fit on the disk.
    pub fn create(path: &Path, capacity: u64) -> Result<Writer, Fault> {
        let what = || format!("sample file {}", path.display());
        let length = capacity
            .checked_mul(RECORD_LEN as u64)
            .and_then(|length| length.checked_add(HEADER_LEN as u64))
            .filter(|&length| i64::try_from(length).is_ok())
            .ok_or_else(|| {
                Fault::fatal(
                    what(),
                    format!("a capacity of {capacity} records is too large"),
                )
            })?;
        let map = create_map(path, length).map_err(|error| Fault::fatal(what(), error))?;
        let recorder = Arc::new(Self {
            map,
            capacity: capacity as usize,
        });
        Ok(Writer {
            recorder,
            written: 0,
            missed: 0,
        })
    }

    fn slot(&self, index: usize) -> Option<&Slot> {
        // SAFETY: the map is page-aligned, holds the header and `capacity` records of RECORD_LEN
        // bytes (checked against Slot above), lives as long as `self`, and every access to it is an
        // atomic one.
        (index < self.capacity).then(|| unsafe {
            &*self
                .map
                .as_ptr()
                .add(HEADER_LEN + index * RECORD_LEN)
                .cast::<Slot>()
        })
    }

    fn counter(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: `offset` is one of the header's two u64 counters, 8-byte aligned and inside the
        // map, which lives as long as `self`; every access to them is atomic.
        unsafe { &*self.map.as_ptr().add(offset).cast::<AtomicU64>() }
    }

    /// When message `index` was handed to the library, if it is recorded.
    pub fn sent(&self, index: u64) -> Option<i64> {
        let slot = self.slot(usize::try_from(index).ok()?)?;
        Some(slot.sent.load(Ordering::Relaxed))
    }

    /// Whether the outcome of message `index` is already recorded.
    pub fn is_finished(&self, index: u64) -> bool {
        let slot = usize::try_from(index)
            .ok()
            .and_then(|index| self.slot(index));
        slot.is_some_and(|slot| slot.done.load(Ordering::Relaxed) != 0)
    }

    /// Records the outcome of message `index`: the time, and flags to set.
    pub fn finish(&self, index: u64, done: i64, flags: u32) {
        if let Some(slot) = usize::try_from(index)
            .ok()
            .and_then(|index| self.slot(index))
        {
            slot.done.store(done, Ordering::Relaxed);
            slot.flags.fetch_or(flags, Ordering::Relaxed);
        }
    }
}

impl Writer {
    /// The file, for the thread that records outcomes.
    pub fn recorder(&self) -> Arc<Recorder> {
        Arc::clone(&self.recorder)
    }

    /// Number of records appended, including those that did not fit.
    pub fn appended(&self) -> u64 {
        self.written as u64 + self.missed
    }

    /// Appends a record, or counts it as missed if the file is full.
    pub fn append(&mut self, sample: &Sample) {
        let Some(slot) = self.recorder.slot(self.written) else {
            self.missed += 1;
            self.recorder
                .counter(MISSED_AT)
                .store(self.missed, Ordering::Release);
            return;
        };
        slot.seq.store(sample.seq, Ordering::Relaxed);
        slot.planned.store(sample.planned, Ordering::Relaxed);
        slot.start.store(sample.start, Ordering::Relaxed);
        slot.sent.store(sample.sent, Ordering::Relaxed);
        slot.done.store(sample.done, Ordering::Relaxed);
        slot.received.store(sample.received, Ordering::Relaxed);
        slot.decoded.store(sample.decoded, Ordering::Relaxed);
        slot.bytes.store(sample.bytes, Ordering::Relaxed);
        slot.flags.store(sample.flags, Ordering::Relaxed);
        self.written += 1;
        // Readers read the count first, so it must not run ahead of the records.
        self.recorder
            .counter(WRITTEN_AT)
            .store(self.written as u64, Ordering::Release);
    }
}

fn create_map(path: &Path, length: u64) -> io::Result<MmapRaw> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)?;
    // If blocks were allocated lazily, a full disk would kill the peer at a later store.
    nix::fcntl::posix_fallocate(&file, 0, i64::try_from(length).map_err(io::Error::other)?)?;
    let length = usize::try_from(length).map_err(io::Error::other)?;
    let map = MmapOptions::new().len(length).map_raw(&file)?;
    // Otherwise the first store to each page blocks in the file system's journal. Kernels before
    // 5.14 do not support this and are slower.
    let _ = map.advise_range(Advice::PopulateWrite, 0, length.min(PREFAULT_BYTES));
    let mut header = [0u8; HEADER_LEN];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&1u32.to_le_bytes());
    header[12..16].copy_from_slice(&(RECORD_LEN as u32).to_le_bytes());
    // SAFETY: the map is at least HEADER_LEN bytes long and not shared yet.
    unsafe { std::ptr::copy_nonoverlapping(header.as_ptr(), map.as_mut_ptr(), HEADER_LEN) };
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirelab_contract::sample::{self, ACKNOWLEDGED};

    fn sample(seq: u64) -> Sample {
        Sample {
            seq,
            planned: 1,
            start: 2,
            sent: 3,
            bytes: 7,
            ..Sample::default()
        }
    }

    #[test]
    fn a_record_is_in_the_file_as_soon_as_it_is_written() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut writer = Recorder::create(file.path(), 2).unwrap();
        writer.append(&sample(41));
        writer.recorder().finish(0, 9, ACKNOWLEDGED);
        let bytes = std::fs::read(file.path()).unwrap();
        assert_eq!(&bytes[..16], b"WLSAMP01\x01\0\0\0\x40\0\0\0");
        let found = sample::parse(&bytes).unwrap();
        assert_eq!(
            found.records,
            [Sample {
                done: 9,
                flags: ACKNOWLEDGED,
                ..sample(41)
            }]
        );
        assert_eq!(bytes[64], 41);
    }

    #[test]
    fn records_beyond_the_capacity_are_counted() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut writer = Recorder::create(file.path(), 1).unwrap();
        (0..3).for_each(|seq| writer.append(&sample(seq)));
        writer.recorder().finish(2, 9, ACKNOWLEDGED);
        let found = sample::parse(&std::fs::read(file.path()).unwrap()).unwrap();
        assert_eq!((found.records.len(), found.missed), (1, 2));
    }

    #[test]
    fn a_capacity_no_disk_can_hold_is_a_fault_and_not_a_crash() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for capacity in [u64::MAX, 1 << 50] {
            assert!(Recorder::create(file.path(), capacity).err().unwrap().fatal);
        }
    }
}
