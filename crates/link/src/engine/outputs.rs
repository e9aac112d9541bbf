//! The output files: packet log and capture.

use std::io;

use super::packet_log::{PacketLog, Record};
use super::pcap::{PcapPacket, PcapWriter};
use super::switch::CaptureLevel;

/// The requested files.
pub struct Outputs {
    /// The packet log.
    pub packet_log: Option<PacketLog>,
    /// The pcapng capture.
    pub pcap: Option<PcapWriter>,
}

impl Outputs {
    /// What the switch must record for these files.
    pub fn capture_level(&self) -> CaptureLevel {
        match (&self.packet_log, &self.pcap) {
            (_, Some(_)) => CaptureLevel::Frames,
            (Some(_), None) => CaptureLevel::Records,
            (None, None) => CaptureLevel::Counters,
        }
    }

    /// Write a record with times in CLOCK_MONOTONIC, and its frame if frames are captured.
    pub(super) fn push(&mut self, record: Record, offset: i64, bytes: Vec<u8>) {
        if let Some(packet_log) = &mut self.packet_log {
            packet_log.push(record);
        }
        if let Some(pcap) = &mut self.pcap {
            pcap.push(PcapPacket {
                record,
                offset,
                bytes,
            });
        }
    }

    /// Pass current batches to the writers.
    pub(super) fn flush_batch(&mut self) {
        self.packet_log.iter_mut().for_each(PacketLog::flush_batch);
        self.pcap.iter_mut().for_each(PcapWriter::flush_batch);
    }

    /// Discard all records so far.
    pub(super) fn restart(&mut self) {
        self.packet_log.iter_mut().for_each(PacketLog::restart);
        self.pcap.iter_mut().for_each(PcapWriter::restart);
    }

    /// Write everything and close the files. Errors if one is incomplete.
    pub(super) fn close(self) -> io::Result<()> {
        let logged = self.packet_log.map_or(Ok(()), PacketLog::close);
        self.pcap.map_or(Ok(()), PcapWriter::close).and(logged)
    }
}
