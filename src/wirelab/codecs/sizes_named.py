"""Exact sizes in the self-describing formats: JSON (RFC 8259), CBOR (RFC 8949), MessagePack."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Protocol

from wirelab.codecs.rfc3339 import nanoseconds
from wirelab.model.schema import AnyType, Base64, Bool, Float, Int, List, Map, Ref, Schema, Timestamp


class Format(Protocol):
    """Bytes of each kind of value. `head` is the overhead of a list or map of n entries."""

    is_text: bool

    def integer(self, value: int) -> int: ...
    def number(self, value: float, bits: int) -> int: ...
    def text(self, value: str) -> int: ...
    def binary(self, size: int) -> int: ...
    def boolean(self, value: bool) -> int: ...
    def null(self) -> int: ...
    def head(self, entries: int, is_map: bool) -> int: ...


def sizer(schema: Schema, form: Format) -> Callable[[Any], int]:
    """The function from a parsed message to its size in bytes."""

    def size(kind: AnyType, value: Any) -> int:  # noqa: PLR0911  (one return per type reads best)
        if value is None:
            return form.null()
        if isinstance(kind, Ref):
            fields = [
                field for field in schema.record(kind.name).fields if not field.optional or field.key in value
            ]
            entries = sum(form.text(field.key) + size(field.type, value.get(field.key)) for field in fields)
            return form.head(len(fields), True) + entries
        if isinstance(kind, Map):
            pairs = sum(form.text(key) + size(kind.values, item) for key, item in value.items())
            return form.head(len(value), True) + pairs
        if isinstance(kind, List):
            return form.head(len(value), False) + sum(size(kind.items, item) for item in value)
        if isinstance(kind, Bool):
            return form.boolean(value)
        if isinstance(kind, Int):
            return form.integer(int(value))
        if isinstance(kind, Float):
            return form.number(float(value), kind.bits)
        if isinstance(kind, Timestamp) and not form.is_text:
            return form.integer(nanoseconds(value))
        if isinstance(kind, Base64) and not form.is_text:
            return form.binary(len(base64.b64decode(value)))
        return form.text(value)

    return lambda message: size(schema.root, message)


def json_float(value: float) -> str:
    """A float as serde_json writes it: shortest digits, no exponent from 1e-5 to below 1e16."""
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    minus = "-" if sign else ""
    if text == "0":
        return f"{minus}0.0"
    if point > 16 or point <= -5:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        return f"{minus}{text[0]}{fraction}e{point - 1:+d}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    return f"{minus}{text[:point].ljust(point, '0')}.{text[point:] or '0'}"


class _Json:
    is_text = True
    _SHORT = frozenset('"\\\b\f\n\r\t')

    def integer(self, value: int) -> int:
        return len(str(value))

    def number(self, value: float, bits: int) -> int:
        return len(json_float(value if bits == 64 else shortest_float32(value)))

    def text(self, value: str) -> int:
        extra = sum(1 if sign in self._SHORT else 5 for sign in value if sign < " " or sign in '"\\')
        return 2 + len(value.encode()) + extra

    def binary(self, size: int) -> int:
        return 2 + 4 * -(-size // 3)

    def boolean(self, value: bool) -> int:
        return 4 if value else 5

    def null(self) -> int:
        return 4

    def head(self, entries: int, is_map: bool) -> int:
        commas = max(entries - 1, 0)
        return 2 + commas + (entries if is_map else 0)


class _Cbor:
    is_text = False

    def _head(self, value: int) -> int:
        return 1 if value < 24 else 2 if value < 2**8 else 3 if value < 2**16 else 5 if value < 2**32 else 9

    def integer(self, value: int) -> int:
        return self._head(value if value >= 0 else -1 - value)

    def number(self, value: float, bits: int) -> int:
        del bits
        return 3 if _fits(value, "e") else 5 if _fits(value, "f") else 9

    def text(self, value: str) -> int:
        return self.binary(len(value.encode()))

    def binary(self, size: int) -> int:
        return self._head(size) + size

    def boolean(self, value: bool) -> int:
        del value
        return 1

    def null(self) -> int:
        return 1

    def head(self, entries: int, is_map: bool) -> int:
        del is_map
        return self._head(entries)


class _MessagePack:
    is_text = False

    def integer(self, value: int) -> int:
        if value >= 0:
            return (
                1 if value < 128 else 2 if value < 2**8 else 3 if value < 2**16 else 5 if value < 2**32 else 9
            )
        return (
            1
            if value >= -32
            else 2
            if value >= -(2**7)
            else 3
            if value >= -(2**15)
            else 5
            if value >= -(2**31)
            else 9
        )

    def number(self, value: float, bits: int) -> int:
        del value
        return 1 + bits // 8

    def text(self, value: str) -> int:
        size = len(value.encode())
        return size + (1 if size < 32 else 2 if size < 2**8 else 3 if size < 2**16 else 5)

    def binary(self, size: int) -> int:
        return size + (2 if size < 2**8 else 3 if size < 2**16 else 5)

    def boolean(self, value: bool) -> int:
        del value
        return 1

    def null(self) -> int:
        return 1

    def head(self, entries: int, is_map: bool) -> int:
        del is_map
        return 1 if entries < 16 else 3 if entries < 2**16 else 5


def _fits(value: float, code: str) -> bool:
    try:
        return bool(struct.unpack(f"<{code}", struct.pack(f"<{code}", value))[0] == value)
    except (OverflowError, struct.error):
        return False


def shortest_float32(value: float) -> float:
    """The float with the shortest digits of `value` as a 32-bit float."""
    import numpy as np  # noqa: PLC0415

    return float(str(np.float32(value)))


JSON, CBOR, MSGPACK = _Json(), _Cbor(), _MessagePack()
