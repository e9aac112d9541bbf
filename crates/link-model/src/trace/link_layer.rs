//! Link layers of captures (tcpdump.org/linktypes.html): where the IP packet of a frame begins.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::packets::u16_at;
use crate::error::BadLink;

/// Most VLAN tags in front of a packet.
const MAX_TAGS: usize = 4;
/// CCMP header, check value and LLC header of an encrypted 802.11 frame.
const ENCRYPTION_BYTES: usize = 24;

/// Frames between Android and a modem (ETH_P_MAP). Their packets are captured again as IP.
const MULTIPLEXED: u16 = 0x00f9;

/// The link layer of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkLayer {
    Ethernet,
    /// IP without a header in front.
    Raw,
    /// Linux cooked capture, version 1.
    Cooked1,
    /// Linux cooked capture, version 2.
    Cooked2,
    /// BSD loopback: four bytes of address family.
    Loopback,
    Ppp,
    PppOverEthernet,
    /// Cisco HDLC.
    Hdlc,
    Wifi,
    /// 802.11 behind a radiotap header.
    Radiotap,
    /// 802.11 behind a Prism header.
    Prism,
}

/// What a frame carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// An IP packet, or one of another network protocol, at this offset.
    At(usize),
    /// An encrypted packet of this many bytes fewer than the frame.
    Encrypted(usize),
    /// No packet: a beacon, an acknowledgement.
    Nothing,
}

impl LinkLayer {
    /// Of a link type. Errors for one that carries no IP packets or is unknown.
    pub fn of(number: u16) -> Result<LinkLayer, BadLink> {
        Ok(match number {
            0 | 108 => LinkLayer::Loopback,
            1 => LinkLayer::Ethernet,
            9 | 50 => LinkLayer::Ppp,
            51 => LinkLayer::PppOverEthernet,
            12 | 14 | 101 | 228 | 229 => LinkLayer::Raw,
            104 => LinkLayer::Hdlc,
            105 => LinkLayer::Wifi,
            113 => LinkLayer::Cooked1,
            119 => LinkLayer::Prism,
            127 => LinkLayer::Radiotap,
            276 => LinkLayer::Cooked2,
            _ => return Err(unsupported(number)),
        })
    }

    /// Where the packet of a frame begins. `data` is the captured part. None if it ends before.
    pub fn payload(self, data: &[u8]) -> Option<Payload> {
        let protocol = match self {
            LinkLayer::Cooked1 => u16_at(data, 14, true),
            LinkLayer::Cooked2 => u16_at(data, 0, true),
            _ => None,
        };
        if protocol == Some(MULTIPLEXED) {
            return Some(Payload::Nothing);
        }
        let at = match self {
            LinkLayer::Raw => 0,
            LinkLayer::Loopback => 4,
            LinkLayer::Ethernet => return behind_ethertype(data, 12),
            LinkLayer::Cooked1 => return behind_ethertype(data, 14),
            LinkLayer::Hdlc => return behind_ethertype(data, 2),
            // Version 2 has its protocol first and the packet behind 20 bytes.
            LinkLayer::Cooked2 => 20,
            LinkLayer::Ppp => behind_ppp(data, 0)?,
            LinkLayer::PppOverEthernet => behind_ppp(data, 6)?,
            LinkLayer::Wifi => return behind_wifi(data, 0),
            LinkLayer::Radiotap => {
                return behind_wifi(data, usize::from(u16_at(data, 2, false)?));
            }
            LinkLayer::Prism => return behind_wifi(data, 144),
        };
        Some(Payload::At(at))
    }

    /// Bytes of the header, where the captured part does not show them.
    pub fn usual_header(self) -> usize {
        match self {
            LinkLayer::Raw => 0,
            LinkLayer::Loopback | LinkLayer::Hdlc => 4,
            LinkLayer::Ethernet => 14,
            LinkLayer::Ppp => 2,
            LinkLayer::PppOverEthernet => 8,
            LinkLayer::Cooked1 => 16,
            LinkLayer::Cooked2 => 20,
            LinkLayer::Wifi => 32,
            LinkLayer::Radiotap => 56,
            LinkLayer::Prism => 176,
        }
    }
}

fn unsupported(number: u16) -> BadLink {
    let why = match number {
        186 | 189 | 220 | 249 | 266 => "USB transfers",
        187 | 201 | 251 | 254 | 255 | 256 | 272 => "Bluetooth",
        195 | 215 | 230 | 283 => "802.15.4 frames",
        190 | 227 => "CAN frames",
        253 => "Netlink messages",
        _ => {
            return BadLink::new(format!(
                "capture has link type {number}; supported are Ethernet, raw IP, Linux cooked, loopback, PPP, HDLC and 802.11"
            ));
        }
    };
    BadLink::new(format!(
        "capture has link type {number}, {why}, not IP packets; capture on the network interface"
    ))
}

/// Behind an ethertype, VLAN tags, MPLS labels, a PPPoE header or an LLC header.
fn behind_ethertype(data: &[u8], mut at: usize) -> Option<Payload> {
    for _ in 0..=MAX_TAGS {
        let kind = u16_at(data, at, true)?;
        at += 2;
        match kind {
            0x8100 | 0x88a8 | 0x9100 | 0x9200 => at += 2,
            0x8847 | 0x8848 => {
                while data.get(at + 2)? & 1 == 0 {
                    at += 4;
                }
                return Some(Payload::At(at + 4));
            }
            0x8864 => return behind_ppp(data, at + 6).map(Payload::At),
            // A length: the ethertype is in the SNAP header.
            length if length < 0x600 && data.get(at..at + 3)? == [0xaa, 0xaa, 3] => at += 6,
            _ => return Some(Payload::At(at)),
        }
    }
    Some(Payload::At(at))
}

/// Behind a protocol of one or two bytes, and the address and control bytes before it, if any.
fn behind_ppp(data: &[u8], mut at: usize) -> Option<usize> {
    if data.get(at..at + 2)? == [0xff, 3] {
        at += 2;
    }
    Some(at + if data.get(at)? & 1 == 1 { 1 } else { 2 })
}

fn behind_wifi(data: &[u8], start: usize) -> Option<Payload> {
    const DATA: u8 = 2;
    let (control, flags) = (*data.get(start)?, *data.get(start + 1)?);
    let (kind, subtype) = (control >> 2 & 3, control >> 4);
    // Of data frames, those with bit 2 carry nothing.
    if kind != DATA || subtype & 4 != 0 {
        return Some(Payload::Nothing);
    }
    let is_quality = subtype & 8 != 0;
    let mut at = start + 24;
    if flags & 3 == 3 {
        at += 6;
    }
    if is_quality {
        at += if flags & 0x80 == 0 { 2 } else { 6 };
    }
    if flags & 0x40 != 0 {
        return Some(Payload::Encrypted(at + ENCRYPTION_BYTES));
    }
    behind_ethertype(data, at + 6)
}

/// The length that the header of an IP packet states. None if it states none, as in super-packets
/// of a segmentation offload, or for other protocols.
pub(super) fn stated_length(packet: &[u8]) -> Option<u32> {
    let length = match packet.first()? >> 4 {
        4 => u32::from(u16_at(packet, 2, true)?),
        6 => u32::from(u16_at(packet, 4, true)?) + 40,
        _ => 0,
    };
    (length > 40 || packet[0] >> 4 == 4 && length >= 20).then_some(length)
}

/// The sender's address of an IP packet.
pub(super) fn sender(packet: &[u8]) -> Option<String> {
    match packet.first()? >> 4 {
        4 => {
            let address: [u8; 4] = packet.get(12..16)?.try_into().ok()?;
            Some(Ipv4Addr::from(address).to_string())
        }
        6 => {
            let address: [u8; 16] = packet.get(8..24)?.try_into().ok()?;
            Some(Ipv6Addr::from(address).to_string())
        }
        _ => None,
    }
}
