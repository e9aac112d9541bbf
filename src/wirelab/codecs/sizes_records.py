"""Exact sizes in Postcard 1.0, XDR (RFC 4506) and BSON 1.1, from schema and messages."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from wirelab.codecs.rfc3339 import nanoseconds
from wirelab.codecs.sizes_positional import varint, zigzag
from wirelab.model.schema import AnyType, Base64, Bool, Float, Int, List, Map, Ref, Schema, Timestamp
from wirelab.schema.emitters.common import width

Sizer = Callable[[Any], int]


def postcard(schema: Schema) -> Sizer:
    """Postcard: fields in order, varints (signed zigzag), a presence byte per optional value."""

    def size(kind: AnyType, value: Any) -> int:
        if kind.nullable:
            return 1 if value is None else 1 + plain(kind, value)
        return plain(kind, value)

    def plain(kind: AnyType, value: Any) -> int:  # noqa: PLR0911  (one return per type reads best)
        if isinstance(kind, Ref):
            return sum(
                size(field.type, value[field.key]) + field.optional if field.key in value else 1
                for field in schema.record(kind.name).fields
            )
        if isinstance(kind, Map):
            return varint(len(value)) + sum(text(key) + size(kind.values, one) for key, one in value.items())
        if isinstance(kind, List):
            return varint(len(value)) + sum(size(kind.items, one) for one in value)
        if isinstance(kind, Bool):
            return 1
        if isinstance(kind, Int):
            return varint(int(value)) if width(kind).startswith("u") else zigzag(int(value))
        if isinstance(kind, Float):
            return kind.bits // 8
        if isinstance(kind, Timestamp):
            return zigzag(nanoseconds(value))
        return blob(len(base64.b64decode(value))) if isinstance(kind, Base64) else text(value)

    def text(value: str) -> int:
        return blob(len(value.encode()))

    def blob(length: int) -> int:
        return varint(length) + length

    return lambda message: size(schema.root, message)


def xdr(schema: Schema) -> Sizer:
    """XDR: units of four bytes; one unit of presence per optional value."""

    def slot(kind: AnyType, optional: bool, value: Any) -> int:
        if optional or kind.nullable:
            return 4 if value is None else 4 + plain(kind, value)
        return plain(kind, value)

    def plain(kind: AnyType, value: Any) -> int:  # noqa: PLR0911  (one return per type reads best)
        if isinstance(kind, Ref):
            fields = schema.record(kind.name).fields
            return sum(slot(one.type, one.optional, value.get(one.key)) for one in fields) if fields else 4
        if isinstance(kind, Map):
            return 4 + sum(text(key) + slot(kind.values, False, one) for key, one in value.items())
        if isinstance(kind, List):
            return 4 + sum(slot(kind.items, False, one) for one in value)
        if isinstance(kind, Bool):
            return 4
        if isinstance(kind, Int):
            return int(width(kind)[1:]) // 8
        if isinstance(kind, Float):
            return kind.bits // 8
        if isinstance(kind, Timestamp):
            return 8
        return opaque(len(base64.b64decode(value))) if isinstance(kind, Base64) else text(value)

    def text(value: str) -> int:
        return opaque(len(value.encode()))

    def opaque(length: int) -> int:
        return 4 + -(-length // 4) * 4

    return lambda message: slot(schema.root, False, message)


def bson(schema: Schema) -> Sizer:
    """BSON: a document is length, elements, NUL; an element is type, key, NUL, value.

    Only signed 32-bit integers take four bytes.
    """

    def document(items: list[tuple[str, AnyType, Any]]) -> int:
        return 5 + sum(2 + len(key.encode()) + size(kind, value) for key, kind, value in items)

    def size(kind: AnyType, value: Any) -> int:  # noqa: PLR0911  (one return per type reads best)
        if value is None:
            return 0
        if isinstance(kind, Ref):
            fields = schema.record(kind.name).fields
            return document([(one.key, one.type, value.get(one.key)) for one in fields if one.key in value])
        if isinstance(kind, Map):
            return document([(key, kind.values, one) for key, one in value.items()])
        if isinstance(kind, List):
            return document([(str(at), kind.items, one) for at, one in enumerate(value)])
        if isinstance(kind, Bool):
            return 1
        if isinstance(kind, Int):
            return 4 if width(kind) == "i32" else 8
        if isinstance(kind, Float | Timestamp):
            return 8
        if isinstance(kind, Base64):
            return 5 + len(base64.b64decode(value))
        return 5 + len(value.encode())

    root = schema.root
    if isinstance(root, Map | Ref) and not root.nullable:
        return lambda message: size(root, message)
    return lambda message: document([("value", root, message)])
