"""The payloads of a port in a capture, as messages that no format looks into.

A UDP datagram is a message. A TCP segment with data is one, once: data sent again is left out.
"""

from __future__ import annotations

import struct
from collections import Counter

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.schema.corpus import MAX_MESSAGES, Corpus
from wirelab.schema.inputs.capture_packets import BadCapture, Frame, frames
from wirelab.schema.typed_text import ByteText

_VLAN = (0x8100, 0x88A8, 0x9100)
_IPV4, _IPV6, _PPP_IPV4, _PPP_IPV6 = 0x0800, 0x86DD, 0x0021, 0x0057
_EXTENSIONS = (0, 43, 60)
"""IPv6 headers that may precede the transport's: hop-by-hop, routing, destination."""
_TCP, _UDP = 6, 17
_PPP = 9
_BARE_IP = (12, 14, 101, 228, 229)
_BEHIND = {0: 4, 108: 4}
"""Link types whose header has a fixed length before the IP packet: BSD loopback."""
_TYPE_AT = {1: 12, 113: 14, 276: 0}
"""Where the protocol's number is: Ethernet, Linux cooked (SLL, SLL2)."""
_HEADER = {1: 14, 113: 16, 276: 20}


class Segment(Struct, frozen=True):
    """What a packet carries for a transport. `sequence` is -1 for UDP."""

    source: tuple[bytes, int]
    target: tuple[bytes, int]
    sequence: int
    payload: bytes
    is_whole: bool


def read(data: bytes, name: str) -> Corpus:
    """The messages of the port that `name` ends with: `capture.pcap:1883`. Raises BadInput."""
    port = int(name.rpartition(":")[2]) if name.rpartition(":")[2].isdecimal() else -1
    seen: Counter[int] = Counter()
    link_types: Counter[int] = Counter()
    flows: dict[tuple[object, object], int] = {}
    messages: list[ByteText] = []
    cut = tcp = 0
    try:
        for frame in frames(data):
            link_types[frame.link_type] += 1
            segment = _segment(frame)
            if segment is None or not (segment.payload or not segment.is_whole):
                continue
            ports = {segment.source[1], segment.target[1]}
            seen.update(ports)
            if port not in ports or not _is_new(segment, flows):
                continue
            if not segment.is_whole:
                cut += 1
                continue
            if len(messages) == MAX_MESSAGES:
                raise BadInput(name, f"more than {MAX_MESSAGES:,} messages", "take a sample")
            tcp += segment.sequence >= 0
            messages.append(ByteText.of(segment.payload))
    except BadCapture as error:
        raise BadInput(name, f"not a whole capture: {error}", "get the whole of the file") from None
    if not messages:
        raise _no_messages(name, port, seen, link_types, cut)
    notes = [f"read as bytes: {len(messages):,} payloads of port {port}"]
    if tcp:
        notes.append(f"{tcp:,} of them are TCP segments, which may hold a part of a message or several")
    if cut:
        notes.append(f"{cut:,} more were cut off when captured or are fragments, and are left out")
    return Corpus(tuple(messages), b"", name, notes=tuple(notes))


def _no_messages(name: str, port: int, seen: Counter[int], link_types: Counter[int], cut: int) -> BadInput:
    most = sorted(seen.items(), key=lambda one: (-one[1], one[0]))[:5]
    common = ", ".join(f"{one} ({count:,} packets)" for one, count in most)
    if not seen:
        types = ", ".join(map(str, link_types)) or "none"
        return BadInput(name, f"no TCP or UDP payload in it; its link types: {types}", "give another capture")
    if port < 0:
        return BadInput(name, "the port of the messages is not named", f"give FILE:PORT; it has {common}")
    if cut:
        return BadInput(name, f"all payloads of port {port} are cut off", "capture whole packets (-s 0)")
    return BadInput(name, f"no payload of port {port}", f"name one of: {common}")


def _is_new(segment: Segment, flows: dict[tuple[object, object], int]) -> bool:
    """Whether a segment has data that was not sent before in its direction."""
    if segment.sequence < 0:
        return True
    flow = (segment.source, segment.target)
    due = flows.get(flow)
    ahead = 0 if due is None else (segment.sequence - due + 2**31) % 2**32 - 2**31
    if ahead < 0:
        return False
    flows[flow] = (segment.sequence + len(segment.payload)) % 2**32
    return True


def _segment(frame: Frame) -> Segment | None:
    """The segment in a frame; None where there is no TCP or UDP in it."""
    try:
        packet = _ip(frame)
        return None if packet is None else _transport(packet, len(frame.data) < frame.length)
    except (struct.error, IndexError):
        return None


def _ip(frame: Frame) -> bytes | None:
    data, kind = frame.data, frame.link_type
    if kind in _BARE_IP:
        return data
    if kind in _BEHIND:
        return data[_BEHIND[kind] :]
    if kind == _PPP:
        at = 2 if data[:2] == b"\xff\x03" else 0  # address and control may be left out, RFC 1661
        (protocol,) = struct.unpack_from(">H", data, at)
        at += 2
    elif kind in _TYPE_AT:
        (protocol,) = struct.unpack_from(">H", data, _TYPE_AT[kind])
        at = _HEADER[kind]
    else:
        return None
    while protocol in _VLAN:
        (protocol,) = struct.unpack_from(">H", data, at + 2)
        at += 4
    return data[at:] if protocol in (_IPV4, _IPV6, _PPP_IPV4, _PPP_IPV6) else None


def _transport(packet: bytes, is_cut: bool) -> Segment | None:
    version = packet[0] >> 4
    if version == 4:
        header = (packet[0] & 15) * 4
        (total, _, fragment) = struct.unpack_from(">HHH", packet, 2)
        kind, source, target = packet[9], packet[12:16], packet[16:20]
        if fragment & 0x1FFF:
            return None
        end, is_part = total or len(packet), bool(fragment & 0x2000)
    elif version == 6:
        (length,) = struct.unpack_from(">H", packet, 4)
        kind, header, source, target = packet[6], 40, packet[8:24], packet[24:40]
        while kind in _EXTENSIONS:
            kind, header = packet[header], header + 8 + packet[header + 1] * 8
        end, is_part = 40 + length, False
    else:
        return None
    is_whole = not is_part and not (is_cut and end > len(packet))
    return _parts(kind, packet[header:end], source, target, is_whole)


def _parts(kind: int, data: bytes, source: bytes, target: bytes, is_whole: bool) -> Segment | None:
    if kind not in (_TCP, _UDP):
        return None
    source_port, target_port = struct.unpack_from(">HH", data)
    sequence, header = -1, 8
    if kind == _TCP:
        (sequence,) = struct.unpack_from(">I", data, 4)
        header = (data[12] >> 4) * 4
    return Segment((source, source_port), (target, target_port), sequence, data[header:], is_whole)
