"""Exact sizes in formats without a C codec here, computed from schema and messages.

BSON (bsonspec.org, 1.1), UBJSON (ubjson.org, draft 12), Thrift's binary protocol, Avro's binary
encoding, and Cap'n Proto as packed by its specification.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wirelab.codecs import sizes_named, sizes_positional
from wirelab.devices import c_xdr, capnp_size
from wirelab.devices.c_layout import shape
from wirelab.model.schema import Base64, Bool, Float, Int, List, Map, Ref, Schema, Timestamp
from wirelab.schema.emitters.common import fits_int32

Sizer = Callable[[Any], int]


def sizes(name: str, schema: Schema, messages: list[Any]) -> list[int]:
    """Bytes of each message (typed by the schema) in the format `name`.

    Raises KeyError for an unknown one.
    """
    return [SIZERS[name](schema)(message) for message in messages]


def bson(schema: Schema) -> Sizer:
    """A document: int32 length, elements, NUL; an element: type, key, NUL, value."""
    del schema

    def document(items: list[tuple[str, Any]]) -> int:
        return 5 + sum(2 + len(key.encode()) + value(item) for key, item in items)

    def value(item: Any) -> int:  # noqa: PLR0911  (one return per type reads best)
        if item is None:
            return 0
        if isinstance(item, bool):
            return 1
        if isinstance(item, int):
            return 4 if -(2**31) <= item < 2**31 else 8
        if isinstance(item, float):
            return 8
        if isinstance(item, str):
            return 5 + len(item.encode())
        if isinstance(item, list):
            return document([(str(index), one) for index, one in enumerate(item)])
        return document(list(item.items()))

    return lambda message: value(message) if isinstance(message, dict | list) else document([("", message)])


def ubjson(schema: Schema) -> Sizer:
    """A marker per value; lengths and integers in the smallest type; containers end with a marker."""

    def integer(value: int) -> int:
        if -128 <= value < 256:
            return 2
        return 3 if -(2**15) <= value < 2**15 else 5 if -(2**31) <= value < 2**31 else 9

    def text(value: str) -> int:
        size = len(value.encode())
        return integer(size) + size

    def size(kind: Any, item: Any) -> int:  # noqa: PLR0911  (one return per type reads best)
        if item is None or isinstance(kind, Bool):
            return 1
        if isinstance(kind, Ref):
            types = {field.key: field.type for field in schema.record(kind.name).fields}
            return 2 + sum(text(key) + size(types[key], one) for key, one in item.items())
        if isinstance(kind, Map):
            return 2 + sum(text(key) + size(kind.values, one) for key, one in item.items())
        if isinstance(kind, List):
            return 2 + sum(size(kind.items, one) for one in item)
        if isinstance(kind, Int):
            return integer(item)
        if isinstance(kind, Float):
            return 1 + kind.bits // 8
        return 1 + text(item)

    return lambda message: size(schema.root, message)


def thrift(schema: Schema) -> Sizer:
    """The binary protocol: a field has a type byte and a 16-bit number; a struct ends with a byte."""

    def size(kind: Any, item: Any) -> int:  # noqa: PLR0911  (one return per type reads best)
        if isinstance(kind, Ref):
            fields = schema.record(kind.name).fields
            there = [(field.type, item[field.key]) for field in fields if item.get(field.key) is not None]
            return 1 + sum(3 + size(one, value) for one, value in there)
        if isinstance(kind, Map):
            return 6 + sum(4 + len(key.encode()) + size(kind.values, one) for key, one in item.items())
        if isinstance(kind, List):
            return 5 + sum(size(kind.items, one) for one in item)
        if isinstance(kind, Bool):
            return 1
        if isinstance(kind, Int):
            return 4 if fits_int32(kind) else 8
        if isinstance(kind, Float | Timestamp):
            return 8
        if isinstance(kind, Base64):
            return 4 + len(item) // 4 * 3 - int(item.count("="))
        return 4 + len(item.encode())

    def root(message: Any) -> int:
        return size(schema.root, message) if isinstance(schema.root, Ref) else 4 + size(schema.root, message)

    return root


def xdr(schema: Schema) -> Sizer:
    """RFC 4506, as the codec on the chips writes it: the size depends on the values."""

    def size(message: Any) -> int:
        plan = shape(schema, [message], texts=False)
        return c_xdr.exact(plan, plan.top, plan.messages[0]) or 4

    return size


SIZERS: dict[str, Callable[[Schema], Sizer]] = {
    "json": lambda schema: sizes_named.sizer(schema, sizes_named.JSON),
    "cbor": lambda schema: sizes_named.sizer(schema, sizes_named.CBOR),
    "msgpack": lambda schema: sizes_named.sizer(schema, sizes_named.MSGPACK),
    "protobuf": sizes_positional.protobuf,
    "avro": sizes_positional.avro,
    "bson": bson,
    "ubjson": ubjson,
    "thrift": thrift,
    "xdr": xdr,
    "capnp": capnp_size.sizer,
}
