"""The exact size of a message in Thrift's compact protocol, by the emitted .thrift."""

from __future__ import annotations

import base64
from typing import Any

from wirelab.codecs.rfc3339 import nanoseconds
from wirelab.codecs.sizes_positional import varint, zigzag
from wirelab.codecs.sizes_records import Sizer
from wirelab.model.schema import AnyType, Base64, Bool, Float, Int, List, Map, Ref, Schema, Timestamp
from wirelab.schema.emitters import thrift as emitted
from wirelab.schema.emitters.common import canonical, number, plain

SHORT_DELTA, SHORT_LIST = 15, 14


def thrift(schema: Schema) -> Sizer:
    """A field begins with a byte: its type, and the difference to the previous field's number.

    Integers are zigzag. A struct ends with a byte.
    """
    walker = _Walker(schema)
    root = schema.root
    if isinstance(root, Ref) and not root.nullable:
        return lambda message: walker.record(root.name, message)
    return lambda message: walker.struct([(1, root, message)])


class _Walker:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.wrappers = emitted.tables(schema).wrappers

    def record(self, name: str, value: dict[str, Any]) -> int:
        fields = enumerate(self.schema.record(name).fields)
        return self.struct([(number(index), one.type, value.get(one.key)) for index, one in fields])

    def struct(self, slots: list[tuple[int, AnyType, Any]]) -> int:
        """Present fields, and the end of the struct."""
        size, last = 1, 0
        for tag, kind, value in slots:
            if value is None:
                continue
            size += 1 if tag - last <= SHORT_DELTA else 1 + zigzag(tag)
            last = tag
            # The type of a boolean field holds its value.
            size += 0 if isinstance(kind, Bool) else self.value(plain(kind), value)
        return size

    def element(self, kind: AnyType, value: Any) -> int:
        if canonical(kind) in self.wrappers:
            return self.struct([(1, plain(kind), value)])
        return self.value(kind, value)

    def value(self, kind: AnyType, value: Any) -> int:  # noqa: PLR0911  (one return per type reads best)
        if isinstance(kind, Ref):
            return self.record(kind.name, value)
        if isinstance(kind, Map):
            pairs = (_text(key) + self.element(kind.values, one) for key, one in value.items())
            return varint(len(value)) + 1 + sum(pairs) if value else 1
        if isinstance(kind, List):
            head = 1 if len(value) <= SHORT_LIST else 1 + varint(len(value))
            return head + sum(self.element(kind.items, one) for one in value)
        if isinstance(kind, Bool):
            return 1
        if isinstance(kind, Int):
            return zigzag(int(value) if value < 2**63 else int(value) - 2**64)
        if isinstance(kind, Float):
            return 8
        if isinstance(kind, Timestamp):
            return zigzag(nanoseconds(value))
        return _blob(len(base64.b64decode(value))) if isinstance(kind, Base64) else _text(value)


def _text(value: str) -> int:
    return _blob(len(value.encode()))


def _blob(length: int) -> int:
    return varint(length) + length
