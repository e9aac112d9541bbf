"""BSON (bsonspec.org, version 1.1): one document after another, as mongodump writes them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.schema.corpus import Corpus
from wirelab.schema.inputs import values
from wirelab.schema.json_reader import MAX_DEPTH

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INT32, _INT64 = struct.Struct("<i"), struct.Struct("<q")
_SMALLEST = 5
"""Bytes of an empty document: its length and the NUL at its end."""


class _Bad(Exception):
    """Not BSON. The message is the reason."""


def is_bson(data: bytes) -> bool:
    """Whether a file is BSON documents to its last byte, by their lengths, types and ends."""
    at = 0
    while at + _SMALLEST <= len(data):
        size = int(_INT32.unpack_from(data, at)[0])
        if not _SMALLEST <= size <= len(data) - at or data[at + size - 1] != 0:
            return False
        if size > _SMALLEST and data[at + 4] not in _READERS:
            return False
        at += size
    return at == len(data) > 0


def read(data: bytes, name: str, lenient: bool) -> Corpus:
    """The corpus in BSON. Raises BadInput."""
    return values.corpus(_documents(data, name), name, lenient, "read as BSON")


def _documents(data: bytes, name: str) -> Iterator[Any]:
    at = 0
    while at < len(data):
        try:
            value, end = _document(data, at, len(data), MAX_DEPTH + 1)
        except (_Bad, struct.error, UnicodeDecodeError) as error:
            why = f"not BSON in the document at byte {at}: {error}"
            raise BadInput(name, why, "correct it, or name its format with --input-format") from None
        yield value
        at = end


def _document(data: bytes, at: int, limit: int, depth: int, is_list: bool = False) -> tuple[Any, int]:
    size = int(_INT32.unpack_from(data, at)[0])
    end = at + size
    if size < _SMALLEST or end > limit or data[end - 1] != 0:
        raise _Bad("its length does not agree with its content")
    if depth == 0:
        raise _Bad(f"nested deeper than {MAX_DEPTH} levels")
    pairs = values.Pairs()
    at += 4
    while at < end - 1:
        kind = data[at]
        key, at = _cstring(data, at + 1, end - 1)
        if kind in (3, 4):
            value, at = _document(data, at, end - 1, depth - 1, kind == 4)
        elif kind in _READERS:
            value, at = _READERS[kind](data, at, end - 1)
        else:
            raise _Bad(f"no element has type 0x{kind:02x}")
        if at > end - 1:
            raise _Bad("an element ends beyond its document")
        pairs.append((key, value))
    return ([value for _, value in pairs] if is_list else pairs), end


def _cstring(data: bytes, at: int, limit: int) -> tuple[str, int]:
    end = data.find(b"\0", at, limit + 1)
    if end < 0:
        raise _Bad("a key has no end")
    return data[at:end].decode(), end + 1


def _text(data: bytes, at: int, limit: int) -> tuple[str, int]:
    end = at + 4 + int(_INT32.unpack_from(data, at)[0])
    if not at + 5 <= end <= limit or data[end - 1] != 0:
        raise _Bad("a text has a wrong length")
    return data[at + 4 : end - 1].decode(), end


def _binary(data: bytes, at: int, limit: int) -> tuple[bytes, int]:
    size = int(_INT32.unpack_from(data, at)[0])
    if not 0 <= size <= limit - at - 5:
        raise _Bad("a byte string has a wrong length")
    begin = at + 5
    return data[begin : begin + size], begin + size


def _time(data: bytes, at: int, _: int) -> tuple[Any, int]:
    ms = int(_INT64.unpack_from(data, at)[0])
    try:
        return _EPOCH + timedelta(milliseconds=ms), at + 8
    except OverflowError:
        return ms, at + 8


def _regex(data: bytes, at: int, limit: int) -> tuple[str, int]:
    pattern, at = _cstring(data, at, limit)
    options, at = _cstring(data, at, limit)
    return f"/{pattern}/{options}", at


def _pointer(data: bytes, at: int, limit: int) -> tuple[str, int]:
    name, at = _text(data, at, limit)
    return f"{name}/{data[at : at + 12].hex()}", at + 12


def _scoped(data: bytes, at: int, limit: int) -> tuple[str, int]:
    end = at + int(_INT32.unpack_from(data, at)[0])
    if not at + 14 <= end <= limit:
        raise _Bad("code has a wrong length")
    return _text(data, at + 4, end)[0], end


def _decimal(data: bytes, at: int, _: int) -> tuple[str, int]:
    """IEEE 754-2008 decimal128 in its binary integer form."""
    if len(data) < at + 16:
        raise _Bad("a decimal has no 16 bytes")
    bits = int.from_bytes(data[at : at + 16], "little")
    sign, combination = bits >> 127, bits >> 122 & 31
    if combination >= 30:
        return ("NaN" if combination == 31 else "-Infinity" if sign else "Infinity"), at + 16
    big = combination >= 24
    exponent = (bits >> (111 if big else 113) & 0x3FFF) - 6176
    digits = 0 if big else bits & (1 << 113) - 1
    return str(Decimal((sign, tuple(map(int, str(digits))), exponent))), at + 16


def _fixed(form: str) -> Callable[[bytes, int, int], tuple[Any, int]]:
    one = struct.Struct(form)
    return lambda data, at, _: (one.unpack_from(data, at)[0], at + one.size)


def _constant(value: Any) -> Callable[[bytes, int, int], tuple[Any, int]]:
    return lambda _data, at, _: (value, at)


def _object_id(data: bytes, at: int, _: int) -> tuple[str, int]:
    return data[at : at + 12].hex(), at + 12


_READERS: dict[int, Callable[[bytes, int, int], tuple[Any, int]]] = {
    0x01: _fixed("<d"),
    0x02: _text,
    0x03: _constant(None),  # documents and lists are read by _document
    0x04: _constant(None),
    0x05: _binary,
    0x06: _constant(None),
    0x07: _object_id,
    0x08: lambda data, at, _: (data[at] != 0, at + 1),
    0x09: _time,
    0x0A: _constant(None),
    0x0B: _regex,
    0x0C: _pointer,
    0x0D: _text,
    0x0E: _text,
    0x0F: _scoped,
    0x10: _fixed("<i"),
    0x11: _fixed("<Q"),
    0x12: _fixed("<q"),
    0x13: _decimal,
    0x7F: _constant("MaxKey"),
    0xFF: _constant("MinKey"),
}
