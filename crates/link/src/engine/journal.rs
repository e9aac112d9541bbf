//! A file that grows by records, written by a thread of its own so that no disk is ever waited for by the timing thread.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

/// Records handed over at once.
const BATCH: usize = 512;
/// Batches that may wait for the disk: at 1,500 bytes each, some 200 MB.
const MAX_WAITING_BATCHES: usize = 256;

enum WriterCommand<T> {
    Write(Vec<T>),
    Restart,
}

/// The timing thread's end of a file of records.
pub struct Journal<T> {
    batch: Vec<T>,
    commands: SyncSender<WriterCommand<T>>,
    writer: JoinHandle<io::Result<()>>,
    lost_records: usize,
}

impl<T: Send + 'static> Journal<T> {
    /// Create the file with its header and start its writer. `encode` appends a record's bytes.
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

    /// Pass on what has gathered, so that a lull leaves nothing behind.
    pub fn flush_batch(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let full = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        let count = full.len();
        // A writer that ended early reports why when the journal is closed.
        if let Err(TrySendError::Full(_)) = self.commands.try_send(WriterCommand::Write(full)) {
            self.lost_records += count;
        }
    }

    /// Forget all records so far. Waits for the disk if it is far behind: an epoch is no time of measuring.
    pub fn restart(&mut self) {
        self.batch.clear();
        self.lost_records = 0;
        let _ = self.commands.send(WriterCommand::Restart);
    }

    /// Write everything out. Errors if the file is incomplete.
    pub fn close(mut self) -> io::Result<()> {
        self.flush_batch();
        drop(self.commands);
        self.writer
            .join()
            .map_err(|_| io::Error::other("its writer failed"))??;
        match self.lost_records {
            0 => Ok(()),
            lost_records => Err(io::Error::other(format!(
                "the disk was too slow for {lost_records} records"
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
                // So that a reader during the run, and a file after kill -9, lacks little.
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
