"""The packed size of a message in Cap'n Proto (capnproto.org/encoding.html): one segment, its table.

Data fields are ordered by size, largest first, so that none needs padding. The order within a
word hardly changes the packed size. Pointers have offset 1, which packs like any small offset.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from typing import Any

from wirelab.devices.c_layout import Member, Shape, Table, shape, whole
from wirelab.model.schema import Base64, Bool, Float, Int, Ref, Schema, String, Timestamp

WORD = 8


def sizer(schema: Schema) -> Callable[[Any], int]:
    """The function from a message (typed by the schema) to its packed size in bytes, segment table included."""

    def size(message: Any) -> int:
        plan = shape(schema, [message], texts=False)
        body = _struct(plan, plan.top, plan.messages[0])
        words = struct.pack("<II", 0, len(body) // WORD + 1) + _pointer(plan.top) + body
        return packed_size(words)

    return size


def packed_size(words: bytes) -> int:
    """The packed size: a tag per word and its non-zero bytes.

    Runs of zero or full words share a tag.
    """
    total = at = 0
    while at < len(words):
        word = words[at : at + WORD]
        full = WORD - word.count(0)
        total += 1 + full
        at += WORD
        if full == 0:
            total += 1
            while words[at : at + WORD] == bytes(WORD) and at < len(words):
                at += WORD
        elif full == WORD:
            total += 1
            while at < len(words) and words[at : at + WORD].count(0) < 2:
                total += WORD
                at += WORD
    return total


def _is_data(member: Member) -> bool:
    return not member.is_list and isinstance(member.kind, Bool | Int | Float | Timestamp)


def _data_bits(table: Table) -> int:
    return sum(_bits(m.kind) + 16 * m.marked for m in table.members if _is_data(m))


def _bits(kind: object) -> int:
    if isinstance(kind, Bool):
        return 1
    if isinstance(kind, Float):
        return kind.bits
    assert isinstance(kind, Int | Timestamp)
    return 64 if whole(kind) in ("u64", "i64") else 32


def _pointer(table: Table) -> bytes:
    data = -(-_data_bits(table) // 64)
    return struct.pack("<IHH", 4, data, sum(not _is_data(m) for m in table.members))


def _struct(plan: Shape, table: Table, value: dict[str, Any]) -> bytes:
    """Data words, pointers and their targets."""
    bits = _data(table, value)
    data = bits.to_bytes(-(-_data_bits(table) // 64) * WORD, "little")
    pointers, content = b"", b""
    for member in table.members:
        if not _is_data(member):
            pointer, behind = _far(plan, member, value.get(member.name))
            pointers, content = pointers + pointer, content + behind
    return data + pointers + content


def _data(table: Table, value: dict[str, Any]) -> int:
    bits = at = 0
    for member in sorted(filter(_is_data, table.members), key=lambda m: -_bits(m.kind)):
        width, content = _bits(member.kind), value.get(member.name)
        if content is not None:
            bits |= _raw(member, content) << at
        at += width
    for member in filter(_is_data, table.members):
        if member.marked:
            bits |= (value.get(member.name) is not None) << at
            at += 16
    return bits


def _raw(member: Member, value: Any) -> int:
    kind = member.kind
    if isinstance(kind, Float):
        return int.from_bytes(struct.pack("<d" if kind.bits == 64 else "<f", value), "little")
    return int(value) & ((1 << _bits(kind)) - 1)


def _far(plan: Shape, member: Member, value: Any) -> tuple[bytes, bytes]:
    """The pointer to a text, a list or a struct, and its target.

    An absent value is a zero pointer.
    """
    if value is None:
        return bytes(WORD), b""
    if not member.is_list:
        return _one(plan, member, value)
    if isinstance(member.kind, Ref):
        table = plan.tables[member.kind.name]
        words = -(-_data_bits(table) // 64) + sum(not _is_data(m) for m in table.members)
        tag = struct.pack("<I", len(value) << 2) + _pointer(table)[4:]
        body = b"".join(_struct(plan, table, item) for item in value)
        return struct.pack("<II", 1 | 4, 7 | len(value) * words << 3), tag + body
    if isinstance(member.kind, String | Base64):
        parts = [_one(plan, member, item) for item in value]
        return struct.pack("<II", 1 | 4, 6 | len(value) << 3), b"".join(p for p, _ in parts) + b"".join(
            c for _, c in parts
        )
    width = _bits(member.kind)
    bits = sum(_raw(member, item) << at * width for at, item in enumerate(value))
    code = {1: 1, 32: 4, 64: 5}[width]
    return struct.pack("<II", 1 | 4, code | len(value) << 3), bits.to_bytes(
        -(-len(value) * width // 64) * WORD, "little"
    )


def _one(plan: Shape, member: Member, value: Any) -> tuple[bytes, bytes]:
    if isinstance(member.kind, Ref):
        table = plan.tables[member.kind.name]
        return _pointer(table), _struct(plan, table, value)
    data = base64.b64decode(value) if isinstance(value, str) and isinstance(member.kind, Base64) else value
    text = data.encode() + b"\0" if isinstance(data, str) else bytes(data)
    return struct.pack("<II", 1 | 4, 2 | len(text) << 3), text + bytes(-len(text) % WORD)
