"""Packets of a capture: pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from msgspec import Struct

_PCAP = {
    b"\xd4\xc3\xb2\xa1": "<",
    b"\xa1\xb2\xc3\xd4": ">",
    b"\x4d\x3c\xb2\xa1": "<",
    b"\xa1\xb2\x3c\x4d": ">",
}
_PCAPNG = b"\x0a\x0d\x0d\x0a"
_ORDER = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
_SECTION, _INTERFACE, _OBSOLETE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 2, 3, 6


class BadCapture(Exception):
    """Not a whole capture. The message is the reason."""


class Frame(Struct, frozen=True):
    """A captured frame: the number of its link type, its bytes, and its length on the wire."""

    link_type: int
    data: bytes
    length: int


def is_capture(data: bytes) -> bool:
    """Whether a file starts like a capture."""
    return data[:4] in _PCAP or data[:4] == _PCAPNG


def frames(data: bytes) -> Iterator[Frame]:
    """The frames of a capture. Raises BadCapture."""
    try:
        yield from _blocks(data) if data[:4] == _PCAPNG else _records(data)
    except struct.error:
        raise BadCapture("it is cut off") from None


def _records(data: bytes) -> Iterator[Frame]:
    order = _PCAP[data[:4]]
    (link_type,) = struct.unpack_from(f"{order}I", data, 20)
    at = 24
    while at < len(data):
        captured, length = struct.unpack_from(f"{order}II", data, at + 8)
        at += 16
        if captured > len(data) - at:
            raise BadCapture(f"the packet at byte {at} ends beyond the file")
        yield Frame(link_type & 0xFFFF, data[at : at + captured], length)
        at += captured


def _blocks(data: bytes) -> Iterator[Frame]:
    order, at = "<", 0
    link_types: list[int] = []
    while at < len(data):
        if data[at : at + 4] == _PCAPNG:
            order = _ORDER.get(data[at + 8 : at + 12], "")
            link_types = []
            if not order:
                raise BadCapture(f"the section at byte {at} has no byte order")
        kind, size = struct.unpack_from(f"{order}II", data, at)
        if size < 12 or size % 4 or size > len(data) - at:
            raise BadCapture(f"the block at byte {at} has a wrong length")
        body = data[at + 8 : at + size - 4]
        at += size
        if kind == _INTERFACE:
            link_types.append(struct.unpack_from(f"{order}H", body)[0])
        elif kind in (_OBSOLETE, _SIMPLE, _ENHANCED):
            yield _frame(kind, body, order, link_types)


def _frame(kind: int, body: bytes, order: str, link_types: list[int]) -> Frame:
    interface, begin = 0, 20
    if kind == _SIMPLE:
        (length,) = struct.unpack_from(f"{order}I", body)
        captured, begin = min(length, len(body) - 4), 4
    else:
        (interface,) = struct.unpack_from(f"{order}{'H' if kind == _OBSOLETE else 'I'}", body)
        captured, length = struct.unpack_from(f"{order}II", body, 12)
    if interface >= len(link_types) or captured > len(body) - begin:
        raise BadCapture("a packet has no interface, or ends beyond its block")
    return Frame(link_types[interface], body[begin : begin + captured], length)
