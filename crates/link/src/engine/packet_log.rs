//! The packet log: one fixed-width record per frame and access link.

use std::io;
use std::path::Path;

use super::journal::Journal;

/// Header of the file: magic, version 1, record size.
const HEADER: [u8; 16] = *b"WLPKTS01\x01\0\0\0\x30\0\0\0";
/// One record; see docs/contracts/lab.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    pub ingress: i64,
    pub egress: i64,
    pub flow: u32,
    pub l3_bytes: u32,
    pub payload: u32,
    pub host: u16,
    pub direction: u8,
    pub drop: u8,
    pub protocol: u8,
    pub due: i64,
    /// From its arrival to its last bit sent, ns; at most 48 bits.
    pub sojourn: u64,
}

impl Record {
    /// Encode as in the file.
    fn encode(&self) -> [u8; 48] {
        let mut out = [0; 48];
        out[0..8].copy_from_slice(&self.ingress.to_le_bytes());
        out[8..16].copy_from_slice(&self.egress.to_le_bytes());
        out[16..20].copy_from_slice(&self.flow.to_le_bytes());
        out[20..24].copy_from_slice(&self.l3_bytes.to_le_bytes());
        out[24..28].copy_from_slice(&self.payload.to_le_bytes());
        let short = self.host.min(255) as u8;
        out[28..32].copy_from_slice(&[short, self.direction, self.drop, self.protocol]);
        out[32..40].copy_from_slice(&self.due.to_le_bytes());
        out[40..42].copy_from_slice(&self.host.to_le_bytes());
        let sojourn = self.sojourn.min((1 << 48) - 1);
        out[42..48].copy_from_slice(&sojourn.to_le_bytes()[..6]);
        out
    }
}

/// The writer of a packet log.
pub type PacketLog = Journal<Record>;

/// Create a packet log.
pub fn create(path: &Path) -> io::Result<PacketLog> {
    Journal::create(path, HEADER.to_vec(), |record: &Record, out| {
        out.extend(record.encode())
    })
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
            host: 0x0201,
            direction: 1,
            drop: 2,
            protocol: 17,
            due: 6,
            sojourn: 0x0605_0403_0201,
        };
        let mut expected = [0u8; 48];
        expected[0] = 1;
        expected[8..16].copy_from_slice(&[8, 7, 6, 5, 4, 3, 2, 1]);
        (expected[16], expected[20], expected[24]) = (2, 3, 4);
        expected[28..32].copy_from_slice(&[255, 1, 2, 17]);
        expected[32] = 6;
        expected[40..48].copy_from_slice(&[1, 2, 1, 2, 3, 4, 5, 6]);
        assert_eq!(record.encode(), expected);
    }
}
