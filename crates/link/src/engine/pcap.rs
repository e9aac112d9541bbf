//! Captures as pcapng (draft-ietf-opsawg-pcapng). The outcome of each packet is a comment that
//! Wireshark shows.
//!
//! Every host has two interfaces: `NAME up` has frames as they come from the host, `NAME down` as
//! they are sent to it. With a segment there is a third, `NAME segment`, with the host's frames as
//! they reach the segment.
//!
//! Blocks are encoded here and not by the crate `pcap-file`, for the reasons in the model's reader.

use std::io;
use std::path::Path;

use wirelab_link_model::trace::pcapng_format::{
    BYTE_ORDER_MAGIC, COMMENT_OPTION, INTERFACE_BLOCK, NAME_OPTION, PACKET_BLOCK,
    RESOLUTION_OPTION, SECTION_BLOCK,
};

use super::journal::Journal;
use super::packet_log::Record;

const ETHERNET: u16 = 1;
/// In the order of their numbers in records.
const DIRECTIONS: [&str; 3] = ["up", "down", "segment"];

/// A frame and its outcome. Times are CLOCK_MONOTONIC ns.
pub struct PcapPacket {
    /// The outcome.
    pub record: Record,
    /// CLOCK_REALTIME - CLOCK_MONOTONIC.
    pub offset: i64,
    /// The frame.
    pub bytes: Vec<u8>,
}

/// The writer of a capture file.
pub type PcapWriter = Journal<PcapPacket>;

/// Create a capture file for hosts with these names.
pub fn create<'a>(
    path: &Path,
    hosts: impl Iterator<Item = &'a str>,
    segment: bool,
) -> io::Result<PcapWriter> {
    let directions = &DIRECTIONS[..if segment { 3 } else { 2 }];
    let mut header = Vec::new();
    block(&mut header, SECTION_BLOCK, |out| {
        // Byte-order magic, version 1.0, unknown section length.
        out.extend(BYTE_ORDER_MAGIC.to_le_bytes());
        out.extend([1, 0, 0, 0]);
        out.extend((-1i64).to_le_bytes());
    });
    for host in hosts {
        for direction in directions {
            block(&mut header, INTERFACE_BLOCK, |out| {
                out.extend(ETHERNET.to_le_bytes());
                out.extend([0; 6]);
                option(out, NAME_OPTION, format!("{host} {direction}").as_bytes());
                // Time stamps in units of 10^-9 s.
                option(out, RESOLUTION_OPTION, &[9]);
                out.extend([0; 4]);
            });
        }
    }
    let per_host = directions.len() as u32;
    Journal::create(path, header, move |packet, out| {
        encode_packet(packet, per_host, out);
    })
}

fn encode_packet(packet: &PcapPacket, per_host: u32, out: &mut Vec<u8>) {
    let record = &packet.record;
    let seen = if record.direction == 1 && record.drop == 0 {
        record.egress
    } else {
        record.ingress
    };
    let real = (seen + packet.offset) as u64;
    let length = packet.bytes.len() as u32;
    block(out, PACKET_BLOCK, |out| {
        out.extend((u32::from(record.host) * per_host + u32::from(record.direction)).to_le_bytes());
        out.extend(((real >> 32) as u32).to_le_bytes());
        out.extend((real as u32).to_le_bytes());
        out.extend(length.to_le_bytes());
        out.extend(length.to_le_bytes());
        out.extend(&packet.bytes);
        pad(out, packet.bytes.len());
        option(out, COMMENT_OPTION, describe_outcome(record).as_bytes());
        out.extend([0; 4]);
    });
}

/// Describe the outcome of a packet.
fn describe_outcome(record: &Record) -> String {
    let after = |t: i64| (t - record.ingress) as f64 / 1e6;
    match record.drop {
        0 if record.direction != 1 => {
            format!("passed: due {:.6} ms after arrival", after(record.due))
        }
        0 => {
            let late = (record.egress - record.due) as f64 / 1e3;
            format!(
                "sent: due {:.6} ms after arrival, {late:.3} us late",
                after(record.due)
            )
        }
        1 => "dropped: loss".into(),
        2 => "dropped: queue".into(),
        3 => "dropped: mtu".into(),
        _ => "dropped: by the emulator itself".into(),
    }
}

fn block(out: &mut Vec<u8>, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend(kind.to_le_bytes());
    out.extend([0; 4]);
    body(out);
    let length = (out.len() - start + 4) as u32;
    out.extend(length.to_le_bytes());
    out[start + 4..start + 8].copy_from_slice(&length.to_le_bytes());
}

fn option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    out.extend(code.to_le_bytes());
    out.extend((value.len() as u16).to_le_bytes());
    out.extend(value);
    pad(out, value.len());
}

/// Pad to a multiple of 4 bytes.
fn pad(out: &mut Vec<u8>, length: usize) {
    out.extend(std::iter::repeat_n(0, length.next_multiple_of(4) - length));
}

#[cfg(test)]
mod tests {
    use super::{PcapPacket, encode_packet};
    use crate::engine::packet_log::Record;

    #[test]
    fn a_dropped_frame_is_a_block_with_its_reason() {
        let record = Record {
            ingress: 5,
            egress: 0,
            flow: 0,
            l3_bytes: 1,
            payload: 0,
            host: 2,
            direction: 0,
            drop: 2,
            protocol: 17,
            due: 5,
            sojourn: 0,
        };
        let mut out = Vec::new();
        encode_packet(
            &PcapPacket {
                record,
                offset: 0x1_0000_0000,
                bytes: vec![0xAA, 0xBB, 0xCC, 0xDD, 0xEE],
            },
            2,
            &mut out,
        );
        let mut expected = vec![
            6, 0, 0, 0, 64, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0,
        ];
        expected.extend([0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0, 0, 0, 1, 0, 14, 0]);
        expected.extend(b"dropped: queue\0\0");
        expected.extend([0, 0, 0, 0, 64, 0, 0, 0]);
        assert_eq!(out, expected);
    }
}
