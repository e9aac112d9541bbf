//! Packet captures as traces: pcap (libpcap's savefile) and pcapng (draft-ietf-opsawg-pcapng).
//! Input is untrusted.
//!
//! The bits that arrived within a ms become the capacity of that ms, as in a mahimahi trace. This
//! is the link's capacity if the sender kept the link busy.

use super::packets::{self, Captured, Packet};
use super::{MAX_NS, SECOND, Trace};
use crate::error::BadLink;

const MS: u64 = 1_000_000;
const MAX_BPS: u64 = 1_000_000_000_000;
/// Most senders named in a note.
const MAX_SHOWN: usize = 4;

/// Whether a file starts like a capture.
pub(super) fn is_capture(bytes: &[u8]) -> bool {
    packets::detect_kind(bytes).is_some()
}

/// The trace of a capture, and notes on what counts in it. `only` selects packets by interface name
/// or by the sender's IP address.
pub(super) fn parse(bytes: &[u8], only: Option<&str>) -> Result<(Trace, Vec<String>), BadLink> {
    let Captured {
        packets,
        seen,
        is_cooked,
    } = packets::read(bytes, only)?;
    if packets.is_empty() {
        return Err(BadLink::new(match only {
            Some(only) if !seen.is_empty() => {
                let only: String = only.chars().take(24).collect();
                format!(
                    "capture has no packets of '{}'; it has: {}",
                    only.escape_debug(),
                    seen.join(", ")
                )
            }
            _ => "capture has no packets with a time".to_string(),
        }));
    }
    let mut notes = Vec::new();
    if only.is_none() && seen.len() > 1 {
        let first = seen.iter().take(MAX_SHOWN).map(String::as_str);
        let more = if seen.len() > MAX_SHOWN { ", ..." } else { "" };
        notes.push(format!(
            "packets of all senders count together, by --column those of one: {}{more}",
            first.collect::<Vec<&str>>().join(", ")
        ));
    }
    if is_cooked {
        notes.push(
            "all interfaces of a host were captured: a packet that passes several counts several times"
                .into(),
        );
    }
    Ok((Trace::from_pieces(pieces(packets)?)?, notes))
}

/// The bits of all packets per ms, starting at the ms of the first packet.
fn pieces(mut packets: Vec<Packet>) -> Result<Vec<(u64, u64)>, BadLink> {
    packets.sort_by_key(|packet| packet.at_ns);
    let first = packets[0].at_ns / MS;
    let (mut pieces, mut end) = (Vec::new(), 0);
    for same in packets.chunk_by(|a, b| a.at_ns / MS == b.at_ns / MS) {
        let ms = same[0].at_ns / MS - first;
        if ms > MAX_NS / MS {
            return Err(BadLink::new(
                "capture is longer than ten days; cut it with editcap -A and -B",
            ));
        }
        let bits: u64 = same
            .iter()
            .map(|packet| u64::from(packet.l3_bytes) * 8)
            .sum();
        let bps = bits * (SECOND / MS);
        if bps > MAX_BPS {
            return Err(BadLink::new(format!(
                "capture has more than 1 Tbit/s in ms {ms}; its times or lengths are wrong"
            )));
        }
        pieces.push(((ms - end) * MS, 0));
        pieces.push((MS, bps));
        end = ms + 1;
    }
    Ok(pieces)
}
