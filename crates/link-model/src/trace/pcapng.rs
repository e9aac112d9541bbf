//! Blocks of a pcapng file.
//!
//! Read here and not by the crate `pcap-file`: version 2 ignores the resolution of time stamps and
//! rejects captures with names or comments that are not UTF-8; version 3 is not released.

use super::SECOND;
use super::link_layer::LinkLayer;
use super::packets::{PacketFilter, damaged_capture, u16_at, u32_at};
use super::pcapng_format::{
    BYTE_ORDER_MAGIC, INTERFACE_BLOCK, NAME_OPTION, OBSOLETE_PACKET_BLOCK, OFFSET_OPTION,
    PACKET_BLOCK, RESOLUTION_OPTION, SECTION_BLOCK, SIMPLE_PACKET_BLOCK,
};
use crate::error::BadLink;

/// Longest interface name kept.
const MAX_NAME: usize = 64;

struct Interface {
    link_type: u16,
    name: String,
    /// Units of time in a second.
    per_second: u64,
    /// Added to its times, s.
    offset: u64,
}

/// Pass on the packet of every enhanced packet block and of the obsolete packet block.
///
/// Errors if the only packets are in simple packet blocks, which have no time.
pub(super) fn read(bytes: &[u8], filter: &mut PacketFilter) -> Result<(), BadLink> {
    let (mut at, mut number, mut big) = (0, 0, false);
    let (mut timed, mut untimed) = (false, false);
    let mut interfaces: Vec<Interface> = Vec::new();
    while at < bytes.len() {
        number += 1;
        let damaged = || damaged_capture(number);
        let kind = u32_at(bytes, at, big).ok_or_else(damaged)?;
        if kind == SECTION_BLOCK {
            big = match u32_at(bytes, at + 8, true) {
                Some(BYTE_ORDER_MAGIC) => true,
                Some(other) if other.swap_bytes() == BYTE_ORDER_MAGIC => false,
                _ => return Err(damaged()),
            };
            interfaces.clear();
        }
        let length = u32_at(bytes, at + 4, big).ok_or_else(damaged)? as usize;
        if length < 12 || !length.is_multiple_of(4) {
            return Err(damaged());
        }
        let body = bytes.get(at + 8..at + length - 4).ok_or_else(damaged)?;
        if u32_at(bytes, at + length - 4, big) != Some(length as u32) {
            return Err(damaged());
        }
        match kind {
            INTERFACE_BLOCK => interfaces.push(parse_interface(body, big).ok_or_else(damaged)?),
            PACKET_BLOCK | OBSOLETE_PACKET_BLOCK => {
                timed = true;
                let obsolete = kind == OBSOLETE_PACKET_BLOCK;
                parse_packet(body, big, obsolete, &interfaces, filter).ok_or_else(damaged)??;
            }
            SIMPLE_PACKET_BLOCK => untimed = true,
            _ => {}
        }
        at += length;
    }
    if untimed && !timed {
        return Err(BadLink::new(
            "capture has simple packet blocks only, which have no times; capture with enhanced packet blocks",
        ));
    }
    Ok(())
}

fn parse_interface(body: &[u8], big: bool) -> Option<Interface> {
    let mut interface = Interface {
        link_type: u16_at(body, 0, big)?,
        name: String::new(),
        per_second: 1_000_000,
        offset: 0,
    };
    let mut at = 8;
    while at < body.len() {
        let (code, length) = (u16_at(body, at, big)?, u16_at(body, at + 2, big)?);
        let value = body.get(at + 4..at + 4 + usize::from(length))?;
        match (code, value) {
            (0, _) => break,
            (NAME_OPTION, name) => {
                let name = String::from_utf8_lossy(&name[..name.len().min(MAX_NAME)]);
                interface.name = name.into_owned();
            }
            (OFFSET_OPTION, &[..]) if length == 8 => {
                let words = [u32_at(value, 0, big)?, u32_at(value, 4, big)?].map(u64::from);
                let [high, low] = if big { words } else { [words[1], words[0]] };
                interface.offset = high << 32 | low;
            }
            (RESOLUTION_OPTION, &[power]) => interface.per_second = per_second(power)?,
            _ => {}
        }
        at += 4 + usize::from(length).next_multiple_of(4);
    }
    Some(interface)
}

/// Time units per second: a negative power of 10, or of 2 if the top bit is set.
fn per_second(power: u8) -> Option<u64> {
    let exponent = u32::from(power & 0x7f);
    if power & 0x80 == 0 {
        10u64.checked_pow(exponent)
    } else {
        2u64.checked_pow(exponent)
    }
}

fn parse_packet(
    body: &[u8],
    big: bool,
    obsolete: bool,
    interfaces: &[Interface],
    filter: &mut PacketFilter,
) -> Option<Result<(), BadLink>> {
    let field = |i: usize| u32_at(body, 4 * i, big);
    // The obsolete block has a count of drops in the second half of the first field.
    let index = if obsolete {
        u32::from(u16_at(body, 0, big)?)
    } else {
        field(0)?
    };
    let interface = interfaces.get(index as usize)?;
    let units = u128::from(field(1)?) << 32 | u128::from(field(2)?);
    let at_ns = units * u128::from(SECOND) / u128::from(interface.per_second)
        + u128::from(interface.offset) * u128::from(SECOND);
    let kept = field(3)? as usize;
    let data = body.get(20..20usize.checked_add(kept)?)?;
    let link = match LinkLayer::of(interface.link_type) {
        Ok(link) => link,
        Err(error) => return Some(Err(error)),
    };
    Some(filter.take(
        u64::try_from(at_ns).ok()?,
        link,
        &interface.name,
        field(4)?,
        data,
    ))
}
