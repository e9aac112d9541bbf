"""Exact sizes in formats with a schema: Protobuf (proto3) and Avro (1.12, binary encoding)."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from wirelab.codecs.rfc3339 import nanoseconds
from wirelab.model.schema import AnyType, Base64, Bool, Float, Int, List, Map, Ref, Schema, String, Timestamp
from wirelab.schema.emitters import protobuf as proto
from wirelab.schema.emitters.common import canonical, field_number, plain, width


def varint(value: int) -> int:
    """Bytes of a base-128 integer. A negative one is its 64-bit two's complement."""
    return max(1, -(-(value % 2**64).bit_length() // 7))


def zigzag(value: int) -> int:
    """Bytes of a zigzag-coded integer."""
    return varint((value << 1) ^ (value >> 63))


def avro(schema: Schema) -> Callable[[Any], int]:
    """The size of a parsed message as one Avro datum."""

    def text(value: str) -> int:
        size = len(value.encode())
        return zigzag(size) + size

    def block(entries: int, content: int) -> int:
        return 1 + (zigzag(entries) + content if entries else 0)

    def plain_size(kind: AnyType, value: Any) -> int:  # noqa: PLR0911  (one return per type reads best)
        if isinstance(kind, Ref):
            fields = schema.record(kind.name).fields
            return sum(size(f.type, f.optional or f.type.nullable, value.get(f.key)) for f in fields)
        if isinstance(kind, Map):
            pairs = sum(text(k) + size(kind.values, kind.values.nullable, v) for k, v in value.items())
            return block(len(value), pairs)
        if isinstance(kind, List):
            return block(len(value), sum(size(kind.items, kind.items.nullable, item) for item in value))
        if isinstance(kind, Bool):
            return 1
        if isinstance(kind, Int):
            return zigzag(int(value) if value < 2**63 else int(value) - 2**64)
        if isinstance(kind, Float):
            return kind.bits // 8
        if isinstance(kind, Timestamp):
            return zigzag(nanoseconds(value))
        if isinstance(kind, Base64):
            length = len(base64.b64decode(value))
            return zigzag(length) + length
        return text(value)

    def size(kind: AnyType, is_union: bool, value: Any) -> int:
        if is_union:
            return 1 if value is None else 1 + plain_size(kind, value)
        return plain_size(kind, value)

    return lambda message: size(schema.root, schema.root.nullable, message)


def protobuf(schema: Schema) -> Callable[[Any], int]:
    """The size of a parsed message in Protobuf, by the emitted .proto."""
    walker = _Protobuf(schema)
    root = schema.root
    if isinstance(root, Ref) and not root.nullable:
        return lambda message: walker.record(root.name, message)
    return lambda message: walker.slot(1, root, root.nullable, message)


class _Protobuf:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.wrappers = proto.tables(schema).wrappers

    def record(self, name: str, value: dict[str, Any]) -> int:
        fields = self.schema.record(name).fields
        return sum(
            self.slot(
                field_number(index, field),
                field.type,
                field.optional or field.type.nullable,
                value.get(field.key),
            )
            for index, field in enumerate(fields)
        )

    def slot(self, tag: int, kind: AnyType, optional: bool, value: Any) -> int:
        """A field: no bytes if it is absent or, without presence, has its default."""
        if value is None:
            return 0
        head, inner = varint(tag << 3), plain(kind)
        if isinstance(inner, List):
            return self.repeated(head, inner, value)
        if isinstance(inner, Map):
            entries = (
                self.slot(1, String(), False, key) + self.map_value(inner.values, item)
                for key, item in value.items()
            )
            return sum(head + varint(entry) + entry for entry in entries)
        if not optional and not isinstance(inner, Ref) and _is_default(inner, value):
            return 0
        return head + self.element(inner, value)

    def repeated(self, head: int, kind: List, value: list[Any]) -> int:
        if not value:
            return 0
        sizes = [self.element(kind.items, item) for item in value]
        if isinstance(kind.items, Bool | Int | Float | Timestamp) and not kind.items.nullable:
            return head + varint(sum(sizes)) + sum(sizes)
        return sum(head + size for size in sizes)

    def map_value(self, kind: AnyType, value: Any) -> int:
        if canonical(kind) in self.wrappers or isinstance(kind, Ref):
            size = self.element(kind, value)
            return 0 if size == 1 else 1 + size
        return self.slot(2, kind, False, value)

    def element(self, kind: AnyType, value: Any) -> int:
        """A value without its tag. A message or text includes its length."""
        if canonical(kind) in self.wrappers:
            size = self.slot(1, plain(kind), kind.nullable, value)
        elif isinstance(kind, Ref):
            size = self.record(kind.name, value)
        elif isinstance(kind, Base64):
            size = len(base64.b64decode(value))
        elif isinstance(kind, String):
            size = len(value.encode())
        else:
            return _scalar(kind, value)
        return varint(size) + size


def _scalar(kind: AnyType, value: Any) -> int:
    if isinstance(kind, Int):
        if kind.coding == "fixed":
            return int(width(kind)[1:]) // 8
        return varint(int(value)) if kind.low >= 0 or kind.coding == "varint" else zigzag(int(value))
    if isinstance(kind, Float):
        return kind.bits // 8
    return varint(nanoseconds(value)) if isinstance(kind, Timestamp) else 1


def _is_default(kind: AnyType, value: Any) -> bool:
    return nanoseconds(value) == 0 if isinstance(kind, Timestamp) else not value
