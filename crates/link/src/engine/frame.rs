//! Parsing of Ethernet frames. Frames come from programs under test, so every length in them is
//! checked.
//!
//! The parser is ours and not `etherparse`: it must assign malformed packets to a flow instead of
//! rejecting them, and it reads only the fields it needs, once per frame.

use wirelab_link_model::FlowKey;

/// Ethernet header without a tag.
pub const L2_HEADER: usize = 14;
const IPV4: u16 = 0x0800;
const TCP: u8 = 6;
const UDP: u8 = 17;
const FIN_SYN: u8 = 0x03;

/// The sequence numbers a TCP segment covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// First sequence number.
    pub sequence: u32,
    /// Number of sequence numbers: payload bytes, plus one each for SYN and FIN.
    pub length: u32,
}

/// Identifies the datagram of an IPv4 fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FragmentOf {
    /// Source address.
    pub source: [u8; 4],
    /// Destination address.
    pub destination: [u8; 4],
    /// Identification.
    pub id: u16,
    /// IP protocol.
    pub protocol: u8,
}

/// The fields of a frame that the emulator uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsed {
    /// Its flow. A later fragment has ports 0.
    pub key: FlowKey,
    /// Bytes after the Ethernet header, without the padding of short frames.
    pub l3_bytes: u32,
    /// Layer-4 payload bytes.
    pub payload: u32,
    /// Only for a TCP segment that consumes sequence numbers.
    pub segment: Option<Segment>,
    /// Only for a fragment: its datagram.
    pub fragment: Option<FragmentOf>,
    /// Whether it is a fragment but not the first.
    pub later_fragment: bool,
}

/// Parse a frame's headers. None if it is shorter than an Ethernet header. A malformed packet
/// belongs to the flow of its EtherType.
pub fn parse(frame: &[u8]) -> Option<Parsed> {
    let ethertype = be16(frame, 12)?;
    let l3 = &frame[L2_HEADER..];
    let other = Parsed {
        key: FlowKey {
            source: [0; 4],
            destination: [0; 4],
            protocol: 0,
            source_port: 0,
            destination_port: ethertype,
        },
        l3_bytes: l3.len() as u32,
        payload: 0,
        segment: None,
        fragment: None,
        later_fragment: false,
    };
    Some(if ethertype == IPV4 {
        ipv4(l3).unwrap_or(other)
    } else {
        other
    })
}

fn ipv4(packet: &[u8]) -> Option<Parsed> {
    let first = *packet.first()?;
    let header = usize::from(first & 15) * 4;
    let total = usize::from(be16(packet, 2)?);
    if first >> 4 != 4 || header < 20 || total < header || total > packet.len() {
        return None;
    }
    let fragmentation = be16(packet, 6)?;
    let (offset, more) = (fragmentation & 0x1fff, fragmentation & 0x2000 != 0);
    let (source, destination, protocol) = (four(packet, 12)?, four(packet, 16)?, *packet.get(9)?);
    let l4 = &packet[header..total];
    let later_fragment = offset > 0;
    let (ports, payload, segment) = if later_fragment {
        ((0, 0), l4.len() as u32, None)
    } else {
        layer4(protocol, l4, offset == 0 && !more)
    };
    let fragment = (later_fragment || more).then_some(FragmentOf {
        source,
        destination,
        id: be16(packet, 4)?,
        protocol,
    });
    Some(Parsed {
        key: FlowKey {
            source,
            destination,
            protocol,
            source_port: ports.0,
            destination_port: ports.1,
        },
        l3_bytes: total as u32,
        payload,
        segment,
        fragment,
        later_fragment,
    })
}

/// Ports, payload bytes, and the sequence numbers of an unfragmented segment.
fn layer4(protocol: u8, l4: &[u8], whole: bool) -> ((u16, u16), u32, Option<Segment>) {
    let none = ((0, 0), l4.len() as u32, None);
    let (Some(source), Some(destination)) = (be16(l4, 0), be16(l4, 2)) else {
        return none;
    };
    match protocol {
        UDP if l4.len() >= 8 => ((source, destination), l4.len() as u32 - 8, None),
        TCP if l4.len() >= 20 => {
            let header = usize::from(l4[12] >> 4) * 4;
            if header < 20 || header > l4.len() {
                return none;
            }
            let payload = (l4.len() - header) as u32;
            let length = payload + (l4[13] & FIN_SYN).count_ones();
            let sequence = u32::from_be_bytes([l4[4], l4[5], l4[6], l4[7]]);
            (
                (source, destination),
                payload,
                (whole && length > 0).then_some(Segment { sequence, length }),
            )
        }
        _ => none,
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at + 4)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::{Parsed, Segment, parse};
    use proptest::prelude::*;

    /// Ethernet + IPv4 with the given protocol, fragmentation word and layer 4.
    fn frame(protocol: u8, fragmentation: u16, l4: &[u8]) -> Vec<u8> {
        let mut f = vec![
            2, 0x77, 0, 0, 0, 2, 2, 0x77, 0, 0, 0, 1, 0x08, 0x00, 0x45, 0,
        ];
        f.extend(((20 + l4.len()) as u16).to_be_bytes());
        f.extend([0x12, 0x34]);
        f.extend(fragmentation.to_be_bytes());
        f.extend([64, protocol, 0, 0, 10, 77, 0, 1, 10, 77, 0, 2]);
        f.extend(l4);
        f
    }

    fn read(frame: &[u8]) -> Parsed {
        parse(frame).expect("a frame")
    }

    #[test]
    fn a_udp_datagram_is_measured_without_padding() {
        let mut short = frame(17, 0, &[0x9c, 0x40, 0x16, 0x33, 0, 12, 0, 0, 1, 2, 3, 4]);
        short.resize(60, 0);
        let parsed = read(&short);
        assert_eq!(
            (parsed.key.source_port, parsed.key.destination_port),
            (40000, 5683)
        );
        assert_eq!((parsed.l3_bytes, parsed.payload), (32, 4));
    }

    #[test]
    fn syn_and_fin_take_a_sequence_number_each_and_an_acknowledgement_none() {
        let tcp = |flags: u8| {
            let mut l4 = vec![
                0x9c, 0x40, 0x07, 0x5b, 0, 0, 1, 0, 0, 0, 0, 0, 0x50, flags, 0, 0, 0, 0, 0, 0,
            ];
            l4.extend([7; 3]);
            read(&frame(6, 0x4000, &l4)).segment
        };
        assert_eq!(
            tcp(0x10),
            Some(Segment {
                sequence: 256,
                length: 3
            })
        );
        assert_eq!(
            tcp(0x03),
            Some(Segment {
                sequence: 256,
                length: 5
            })
        );
        let bare = [
            0x9c, 0x40, 0x07, 0x5b, 0, 0, 1, 0, 0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(read(&frame(6, 0x4000, &bare)).segment, None);
    }

    #[test]
    fn fragments_are_told_by_their_datagram() {
        let first = read(&frame(17, 0x2000, &[0x9c, 0x40, 0x16, 0x33, 0, 200, 0, 0]));
        let later = read(&frame(17, 0x0001, &[1; 16]));
        assert_eq!(first.fragment, later.fragment);
        assert!(first.fragment.is_some() && !first.later_fragment && later.later_fragment);
        assert_eq!((later.key.source_port, later.payload), (0, 16));
    }

    #[test]
    fn a_header_that_claims_more_than_there_is_counts_as_no_ip() {
        let mut lying = frame(17, 0, &[0; 8]);
        lying[16] = 0xff;
        assert_eq!(read(&lying).key.protocol, 0);
        assert_eq!(read(&lying).key.destination_port, 0x0800);
        assert_eq!(parse(&[0; 13]), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_crash_and_never_count_more_than_they_are(bytes in proptest::collection::vec(any::<u8>(), 0..1600), ip in any::<bool>()) {
            let mut bytes = bytes;
            if ip && bytes.len() > 16 {
                bytes[12..15].copy_from_slice(&[0x08, 0x00, 0x45]);
            }
            if let Some(parsed) = parse(&bytes) {
                prop_assert!(parsed.l3_bytes as usize + 14 <= bytes.len());
                prop_assert!(parsed.payload <= parsed.l3_bytes);
            }
        }
    }
}
