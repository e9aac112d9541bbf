//! Times and lengths of the packets in a capture file.

use super::link_layer::{LinkLayer, Payload, sender, stated_length};
use super::pcapng;
use crate::error::BadLink;

/// Longest packet accepted: a super-packet of a segmentation offload.
const MAX_PACKET: u32 = 1 << 18;
/// Limit of senders and interfaces listed in an error.
const MAX_NAMED: usize = 8;

/// A packet of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packet {
    /// Time in the capture's clock, ns.
    pub at_ns: u64,
    /// Bytes of the packet, without the link layer's header and padding.
    pub l3_bytes: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Big-endian, and ns per unit of the sub-second field.
    Pcap(bool, u64),
    Pcapng,
}

/// The kind of capture, by the file's first bytes.
pub(super) fn detect_kind(bytes: &[u8]) -> Option<Kind> {
    match bytes.get(..4)? {
        [0xd4, 0xc3, 0xb2, 0xa1] => Some(Kind::Pcap(false, 1000)),
        [0xa1, 0xb2, 0xc3, 0xd4] => Some(Kind::Pcap(true, 1000)),
        [0x4d, 0x3c, 0xb2, 0xa1] => Some(Kind::Pcap(false, 1)),
        [0xa1, 0xb2, 0x3c, 0x4d] => Some(Kind::Pcap(true, 1)),
        [0x0a, 0x0d, 0x0d, 0x0a] => Some(Kind::Pcapng),
        _ => None,
    }
}

/// What is in a capture.
pub(super) struct Captured {
    /// The selected packets.
    pub packets: Vec<Packet>,
    /// The senders and interfaces of the others; without a selection, the senders of all.
    pub seen: Vec<String>,
    /// Whether all interfaces of a host were captured as one.
    pub is_cooked: bool,
}

/// The selected packets of a capture.
pub(super) fn read(bytes: &[u8], only: Option<&str>) -> Result<Captured, BadLink> {
    let mut filter = PacketFilter {
        only,
        packets: Vec::new(),
        seen: Vec::new(),
        is_cooked: false,
    };
    match detect_kind(bytes) {
        Some(Kind::Pcap(big, unit_ns)) => read_pcap(bytes, big, unit_ns, &mut filter)?,
        _ => pcapng::read(bytes, &mut filter)?,
    }
    Ok(Captured {
        packets: filter.packets,
        seen: filter.seen,
        is_cooked: filter.is_cooked,
    })
}

/// Collects the selected packets.
pub(super) struct PacketFilter<'a> {
    only: Option<&'a str>,
    packets: Vec<Packet>,
    seen: Vec<String>,
    is_cooked: bool,
}

impl PacketFilter<'_> {
    /// A packet of `length` bytes, of which `data` was captured.
    pub fn take(
        &mut self,
        at_ns: u64,
        link: LinkLayer,
        interface: &str,
        length: u32,
        data: &[u8],
    ) -> Result<(), BadLink> {
        if length > MAX_PACKET {
            return Err(BadLink::new(format!(
                "capture has a packet of {length} B; it is damaged"
            )));
        }
        let payload = link.payload(data);
        let packet = match payload {
            Some(Payload::At(at)) => data.get(at..),
            _ => None,
        };
        self.is_cooked |= matches!(link, LinkLayer::Cooked1 | LinkLayer::Cooked2);
        if self.only.is_none()
            && self.seen.len() < MAX_NAMED
            && let Some(sender) = packet.and_then(sender)
        {
            self.remember(&sender);
        }
        if let Some(only) = self.only {
            let sender = packet.and_then(sender);
            if interface != only && sender.as_deref() != Some(only) {
                self.remember(interface);
                self.remember(sender.as_deref().unwrap_or(""));
                return Ok(());
            }
        }
        let behind = |header: usize| u64::from(length).saturating_sub(header as u64) as u32;
        let l3_bytes = match payload {
            Some(Payload::At(at)) => {
                let stated = packet.and_then(stated_length);
                stated.map_or(behind(at), |stated| stated.min(behind(at)))
            }
            Some(Payload::Encrypted(header)) => behind(header),
            Some(Payload::Nothing) => return Ok(()),
            None => behind(link.usual_header()),
        };
        self.packets.push(Packet { at_ns, l3_bytes });
        Ok(())
    }

    fn remember(&mut self, name: &str) {
        let shown = name.escape_debug().to_string();
        if !name.is_empty() && self.seen.len() < MAX_NAMED && !self.seen.contains(&shown) {
            self.seen.push(shown);
        }
    }
}

pub(super) fn u16_at(bytes: &[u8], at: usize, big: bool) -> Option<u16> {
    let raw: [u8; 2] = bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
    Some(if big {
        u16::from_be_bytes(raw)
    } else {
        u16::from_le_bytes(raw)
    })
}

pub(super) fn u32_at(bytes: &[u8], at: usize, big: bool) -> Option<u32> {
    let raw: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    Some(if big {
        u32::from_be_bytes(raw)
    } else {
        u32::from_le_bytes(raw)
    })
}

/// The error for a capture that ends within a packet or has an invalid length.
pub(super) fn damaged_capture(number: usize) -> BadLink {
    BadLink::new(format!(
        "capture is truncated or damaged at packet or block {number}; repair it with `editcap FILE NEW`"
    ))
}

fn read_pcap(
    bytes: &[u8],
    big: bool,
    unit_ns: u64,
    filter: &mut PacketFilter,
) -> Result<(), BadLink> {
    // The upper bits are the length of a frame check sequence.
    let link = u32_at(bytes, 20, big).ok_or_else(|| damaged_capture(0))?;
    let link = LinkLayer::of(link as u16)?;
    let (mut at, mut number) = (24, 0);
    while at < bytes.len() {
        number += 1;
        let field =
            |i: usize| u32_at(bytes, at + 4 * i, big).ok_or_else(|| damaged_capture(number));
        let (seconds, fraction, kept, length) = (field(0)?, field(1)?, field(2)?, field(3)?);
        let end = (at + 16).saturating_add(kept as usize);
        let data = bytes
            .get(at + 16..end)
            .ok_or_else(|| damaged_capture(number))?;
        let at_ns = u64::from(seconds) * super::SECOND + u64::from(fraction) * unit_ns;
        filter.take(at_ns, link, "", length, data)?;
        at = end;
    }
    Ok(())
}
