//! An append-only file of records, written by a separate thread so that the timing thread never
//! waits for the disk.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

/// Records passed to the writer at once.
const BATCH: usize = 512;
/// Limit of batches waiting for the disk: at 1,500 bytes per record, some 200 MB.
const MAX_WAITING_BATCHES: usize = 256;

enum WriterCommand<T> {
    Write(Vec<T>),
    Restart,
}

/// The timing thread's handle of a file of records.
pub struct Journal<T> {
    batch: Vec<T>,
    commands: SyncSender<WriterCommand<T>>,
    writer: JoinHandle<io::Result<()>>,
    lost_records: usize,
}

impl<T: Send + 'static> Journal<T> {
    /// Create the file with its header and start the writer. `encode` appends a record's bytes.
    pub fn create(
        path: &Path,
        header: Vec<u8>,
        encode: impl Fn(&T, &mut Vec<u8>) + Send + 'static,
    ) -> io::Result<Journal<T>> {
        let mut file = File::create(path)?;
        file.write_all(&header)?;
        let (commands, received) = sync_channel(MAX_WAITING_BATCHES);
        let work = move || run_writer(file, header.len() as u64, encode, &received);
        let writer = std::thread::Builder::new()
            .name("journal".into())
            .spawn(work)?;
        Ok(Journal {
            batch: Vec::with_capacity(BATCH),
            commands,
            writer,
            lost_records: 0,
        })
    }

    /// Add a record.
    pub fn push(&mut self, record: T) {
        self.batch.push(record);
        if self.batch.len() == BATCH {
            self.flush_batch();
        }
    }

    /// Pass the current batch to the writer, so that records are written even if few arrive.
    pub fn flush_batch(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let full = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        let count = full.len();
        // The error of a writer that ended early is reported by `close`.
        if let Err(TrySendError::Full(_)) = self.commands.try_send(WriterCommand::Write(full)) {
            self.lost_records += count;
        }
    }

    /// Discard all records so far. May wait for the disk, which is acceptable because nothing is
    /// measured at an epoch.
    pub fn restart(&mut self) {
        self.batch.clear();
        self.lost_records = 0;
        let _ = self.commands.send(WriterCommand::Restart);
    }

    /// Write everything and close the file. Errors if records are missing.
    pub fn close(mut self) -> io::Result<()> {
        self.flush_batch();
        drop(self.commands);
        self.writer
            .join()
            .map_err(|_| io::Error::other("its writer thread failed"))??;
        match self.lost_records {
            0 => Ok(()),
            lost_records => Err(io::Error::other(format!(
                "the disk was too slow: {lost_records} records are missing"
            ))),
        }
    }
}

fn run_writer<T>(
    file: File,
    header: u64,
    encode: impl Fn(&T, &mut Vec<u8>),
    commands: &Receiver<WriterCommand<T>>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let mut bytes = Vec::new();
    for command in commands {
        match command {
            WriterCommand::Write(records) => {
                for record in &records {
                    bytes.clear();
                    encode(record, &mut bytes);
                    out.write_all(&bytes)?;
                }
                // So that a reader during the run, and the file after kill -9, misses few records.
                out.flush()?;
            }
            WriterCommand::Restart => {
                out.flush()?;
                out.get_mut().set_len(header)?;
                out.seek(SeekFrom::Start(header))?;
            }
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::Journal;

    #[test]
    fn records_follow_the_header_and_a_restart_forgets_them() {
        let path = std::env::temp_dir().join(format!("wirelab-journal-{}", std::process::id()));
        let mut journal = Journal::create(&path, b"HEAD".to_vec(), |r: &u8, out| out.push(*r))
            .expect("a journal");
        (0..200).for_each(|i| journal.push(i));
        journal.restart();
        (0..1000).for_each(|_| journal.push(b'x'));
        journal.close().expect("a complete journal");
        let bytes = std::fs::read(&path).expect("the file");
        std::fs::remove_file(&path).expect("the file");
        assert_eq!((&bytes[..4], bytes.len()), (&b"HEAD"[..], 1004));
        assert!(bytes[4..].iter().all(|b| *b == b'x'));
    }
}
