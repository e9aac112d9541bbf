//! Captures as traces.

use super::{Choices, Cleaning, Format, Trace, parse_with};
use crate::BadLink;

const MBIT: f64 = 1e6;

fn parse(bytes: &[u8], only: Option<&str>) -> Result<(Format, Trace), BadLink> {
    let choices = Choices {
        column: only.map(str::to_string),
        ..Choices::default()
    };
    let read = parse_with(bytes, &choices, &Cleaning::default())?;
    Ok((read.format, read.trace))
}

/// A pcap file with times in us, of full Ethernet frames captured up to 34 bytes. `bytes_of` sets
/// the byte order.
fn pcap(bytes_of: fn(u32) -> [u8; 4], packets: &[(u32, u32, u32, u8)]) -> Vec<u8> {
    let mut file = Vec::new();
    let words = |file: &mut Vec<u8>, all: &[u32]| {
        all.iter().for_each(|word| file.extend(bytes_of(*word)));
    };
    words(&mut file, &[0xa1b2_c3d4, 0x0004_0002, 0, 0, 96, 1]);
    for &(seconds, us, length, host) in packets {
        words(&mut file, &[seconds, us, 34, length]);
        file.extend(frame(host));
    }
    file
}

fn frame(host: u8) -> Vec<u8> {
    let mut frame = vec![0; 12];
    frame.extend([8, 0, 0x45]);
    frame.resize(26, 0);
    frame.extend([10, 0, 0, host, 10, 0, 0, 9]);
    frame
}

fn block(file: &mut Vec<u8>, kind: u32, body: &[u8]) {
    let length = body.len() as u32 + 12;
    file.extend(kind.to_le_bytes());
    file.extend(length.to_le_bytes());
    file.extend(body);
    file.extend(length.to_le_bytes());
}

/// A pcapng file with two Ethernet interfaces, times in ns, a frame of 1014 bytes on each, and
/// another on the second one 1 s later.
fn pcapng() -> Vec<u8> {
    let mut file = Vec::new();
    block(
        &mut file,
        0x0A0D_0D0A,
        &[
            0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255,
        ],
    );
    for name in [b'a', b'b'] {
        let mut body = vec![1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, name, 0, 0, 0];
        body.extend([9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
        block(&mut file, 1, &body);
    }
    for (interface, at_ns) in [
        (0u32, 5_000_000_000u64),
        (1, 5_000_000_000),
        (1, 6_000_000_000),
    ] {
        let mut body = interface.to_le_bytes().to_vec();
        body.extend(((at_ns >> 32) as u32).to_le_bytes());
        body.extend((at_ns as u32).to_le_bytes());
        body.extend(36u32.to_le_bytes());
        body.extend(1014u32.to_le_bytes());
        body.extend(frame(1));
        body.extend([0, 0]);
        block(&mut file, 6, &body);
    }
    file
}

#[test]
fn what_came_within_a_ms_is_the_capacity_of_that_ms() {
    let packets = [(7, 0, 1014, 1), (7, 999, 1014, 1), (7, 3_000, 514, 1)];
    for bytes_of in [u32::to_le_bytes as fn(u32) -> [u8; 4], u32::to_be_bytes] {
        let (format, trace) = parse(&pcap(bytes_of, &packets), None).expect("a capture");
        assert_eq!((format, trace.period_ns()), (Format::Capture, 4_000_000));
        // 16,000 bits in the first ms, 4,000 in the fourth.
        assert_eq!(trace.mean_bps(), 5.0 * MBIT);
        assert_eq!(trace.work_at(1_000_000), 16_000 * 1_000_000_000);
        assert_eq!(trace.work_at(3_000_000), 16_000 * 1_000_000_000);
    }
}

#[test]
fn packets_are_chosen_by_sender_or_interface() {
    let mixed = pcap(
        u32::to_le_bytes,
        &[(0, 0, 1014, 1), (0, 0, 78, 2), (1, 0, 1014, 1)],
    );
    let bits = |file: &[u8], only| {
        let trace = parse(file, only).expect("a capture").1;
        (trace.work_at(trace.period_ns()) / 1_000_000_000) as u64
    };
    assert_eq!(bits(&mixed, None), 16_512);
    assert_eq!(bits(&mixed, Some("10.0.0.1")), 16_000);
    assert_eq!(bits(&pcapng(), None), 24_000);
    assert_eq!(bits(&pcapng(), Some("a")), 8_000);
    assert_eq!(bits(&pcapng(), Some("b")), 16_000);
    let said = parse(&mixed, Some("10.0.0.3")).unwrap_err().to_string();
    assert_eq!(
        said,
        "capture has no packets of '10.0.0.3'; it has: 10.0.0.1, 10.0.0.2"
    );
}

#[test]
fn packets_out_of_order_are_put_in_order() {
    let packets = [(1, 0, 1014, 1), (0, 0, 514, 1)];
    let trace = parse(&pcap(u32::to_le_bytes, &packets), None)
        .expect("a capture")
        .1;
    assert_eq!(trace.work_at(1_000_000), 4_000 * 1_000_000_000);
}

#[test]
fn a_damaged_capture_is_refused_wherever_it_ends_and_never_taken_for_a_shorter_one() {
    let whole = [
        pcap(u32::to_le_bytes, &[(0, 0, 1014, 1), (1, 0, 1014, 1)]),
        pcapng(),
    ];
    for (file, first) in whole.iter().zip([24 + 50, 28 + 2 * 40 + 68]) {
        let boundaries: Vec<usize> = (first..=file.len())
            .filter(|&end| parse(&file[..end], None).is_ok())
            .collect();
        assert_eq!(boundaries.last(), Some(&file.len()));
        // Only at packet boundaries: one or two packets after the first.
        assert!(boundaries.len() <= 3, "{boundaries:?}");
        for end in 4..first {
            assert!(parse(&file[..end], None).is_err(), "{end}");
        }
    }
}

#[test]
fn what_no_capture_should_say_is_refused() {
    let said = |packets: &[(u32, u32, u32, u8)]| {
        parse(&pcap(u32::to_le_bytes, packets), None)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(said(&[]), "capture has no packets with a time");
    assert!(said(&[(0, 0, u32::MAX, 1)]).contains("a packet of 4294967295 B"));
    assert!(said(&[(0, 0, 100, 1), (1_000_000, 0, 100, 1)]).contains("longer than ten days"));
    let mut transfers = pcap(u32::to_le_bytes, &[]);
    transfers[20] = 189;
    let said = parse(&transfers, None).unwrap_err().to_string();
    assert!(said.starts_with("capture has link type 189, USB transfers"));
}

#[test]
fn padding_is_not_counted() {
    let mut padded = pcap(u32::to_le_bytes, &[(0, 0, 60, 1), (1, 0, 60, 1)]);
    // The IP header of both frames states 40 B of the 46.
    for start in [24 + 16, 24 + 16 + 34 + 16] {
        padded[start + 16..start + 18].copy_from_slice(&[0, 40]);
    }
    let trace = parse(&padded, None).expect("a capture").1;
    assert_eq!(trace.work_at(trace.period_ns()), 2 * 40 * 8 * 1_000_000_000);
}

#[test]
fn obsolete_packet_blocks_are_read_and_packets_without_times_are_refused() {
    let mut enhanced = pcapng();
    let first = 28 + 2 * 40;
    let simple = |file: &mut Vec<u8>| {
        for at in [first, first + 68, first + 136] {
            file[at..at + 4].copy_from_slice(&3u32.to_le_bytes());
        }
    };
    let mut obsolete = enhanced.clone();
    for at in [first, first + 68, first + 136] {
        obsolete[at..at + 4].copy_from_slice(&2u32.to_le_bytes());
        // Seven drops, in the upper half of what is the interface in an enhanced block.
        obsolete[at + 10] = 7;
    }
    assert_eq!(parse(&obsolete, Some("b")), parse(&enhanced, Some("b")));
    simple(&mut enhanced);
    let said = parse(&enhanced, None).unwrap_err().to_string();
    assert!(
        said.starts_with("capture has simple packet blocks only"),
        "{said}"
    );
}

#[test]
fn an_unsupported_interface_counts_only_if_it_has_packets() {
    let mut file = pcapng();
    // The first interface becomes USB.
    file[28 + 8] = 189;
    let said = parse(&file, None).unwrap_err().to_string();
    assert!(said.contains("USB transfers"), "{said}");
    let first = 28 + 2 * 40;
    file.drain(first..first + 68);
    assert_eq!(
        parse(&file, None).expect("a capture").1.period_ns(),
        1_001_000_000
    );
}

#[test]
fn senders_that_count_together_are_named() {
    let file = pcap(u32::to_le_bytes, &[(0, 0, 1014, 1), (0, 10, 1014, 2)]);
    let found = parse_with(&file, &Choices::default(), &Cleaning::default()).expect("a capture");
    assert_eq!(
        found.notes,
        ["packets of all senders count together, by --column those of one: 10.0.0.1, 10.0.0.2"]
    );
    let one = Choices {
        column: Some("10.0.0.2".into()),
        ..Choices::default()
    };
    let found = parse_with(&file, &one, &Cleaning::default()).expect("a capture");
    assert_eq!(found.notes, [""; 0]);
}

#[test]
fn a_capture_of_all_interfaces_says_so() {
    let mut file = pcap(u32::to_le_bytes, &[]);
    file[20] = 113;
    for word in [0u32, 0, 36, 1016] {
        file.extend(word.to_le_bytes());
    }
    file.extend([0; 14]);
    file.extend([8, 0]);
    file.extend(&frame(1)[14..34]);
    let found = parse_with(&file, &Choices::default(), &Cleaning::default()).expect("a capture");
    assert!(found.notes[0].starts_with("all interfaces of a host were captured"));
}
