//! The packet log: one fixed-width record per frame and access link, written by a thread of its own.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// First bytes of a log: name, version 1, record size.
const HEADER: [u8; 16] = *b"WLPKTS01\x01\0\0\0\x30\0\0\0";
/// Records handed over at once.
const BATCH: usize = 512;

/// One record; see docs/contracts/lab.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    pub ingress: i64,
    pub egress: i64,
    pub flow: u32,
    pub l3_bytes: u32,
    pub payload: u32,
    pub host: u8,
    pub direction: u8,
    pub drop: u8,
    pub protocol: u8,
    pub due: i64,
}

impl Record {
    /// As it stands in the file.
    fn bytes(&self) -> [u8; 48] {
        let mut out = [0; 48];
        out[0..8].copy_from_slice(&self.ingress.to_le_bytes());
        out[8..16].copy_from_slice(&self.egress.to_le_bytes());
        out[16..20].copy_from_slice(&self.flow.to_le_bytes());
        out[20..24].copy_from_slice(&self.l3_bytes.to_le_bytes());
        out[24..28].copy_from_slice(&self.payload.to_le_bytes());
        out[28..32].copy_from_slice(&[self.host, self.direction, self.drop, self.protocol]);
        out[32..40].copy_from_slice(&self.due.to_le_bytes());
        out
    }
}

enum Order {
    Write(Vec<Record>),
    Restart,
}

/// The timing thread's end of the log.
pub struct Log {
    batch: Vec<Record>,
    orders: Sender<Order>,
    writer: JoinHandle<io::Result<()>>,
}

impl Log {
    /// Create the file and start its writer.
    pub fn create(path: &Path) -> io::Result<Log> {
        let mut file = File::create(path)?;
        file.write_all(&HEADER)?;
        let (orders, taken) = channel();
        let writer = std::thread::Builder::new()
            .name("packet-log".into())
            .spawn(move || write(file, &taken))?;
        Ok(Log {
            batch: Vec::with_capacity(BATCH),
            orders,
            writer,
        })
    }

    /// Add a record.
    pub fn push(&mut self, record: Record) {
        self.batch.push(record);
        if self.batch.len() == BATCH {
            self.hand_over();
        }
    }

    /// Pass on what has gathered, so that a lull leaves nothing behind.
    pub fn hand_over(&mut self) {
        if !self.batch.is_empty() {
            let full = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
            // The writer ends early only on a full disk; that is reported when the log is closed.
            let _ = self.orders.send(Order::Write(full));
        }
    }

    /// Forget all records so far.
    pub fn restart(&mut self) {
        self.batch.clear();
        let _ = self.orders.send(Order::Restart);
    }

    /// Write everything out. Errors if the file is incomplete.
    pub fn close(mut self) -> io::Result<()> {
        self.hand_over();
        drop(self.orders);
        self.writer
            .join()
            .map_err(|_| io::Error::other("the writer of the packet log failed"))?
    }
}

fn write(file: File, orders: &Receiver<Order>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    for order in orders {
        match order {
            Order::Write(records) => {
                for record in &records {
                    out.write_all(&record.bytes())?;
                }
                // So that a reader during the run, and a file after kill -9, lacks little.
                out.flush()?;
            }
            Order::Restart => {
                out.flush()?;
                out.get_mut().set_len(HEADER.len() as u64)?;
                out.seek(SeekFrom::Start(HEADER.len() as u64))?;
            }
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::Record;

    #[test]
    fn a_record_has_its_fields_where_the_contract_puts_them() {
        let record = Record {
            ingress: 1,
            egress: 0x0102_0304_0506_0708,
            flow: 2,
            l3_bytes: 3,
            payload: 4,
            host: 5,
            direction: 1,
            drop: 2,
            protocol: 17,
            due: 6,
        };
        let mut expected = [0u8; 48];
        expected[0] = 1;
        expected[8..16].copy_from_slice(&[8, 7, 6, 5, 4, 3, 2, 1]);
        (expected[16], expected[20], expected[24]) = (2, 3, 4);
        expected[28..32].copy_from_slice(&[5, 1, 2, 17]);
        expected[32] = 6;
        assert_eq!(record.bytes(), expected);
    }
}
