"""Avro: a field that may be absent or null is a union with null; a renamed field keeps its JSON key in `json`.

Any root is legal, so none is wrapped. Avro has no unsigned 64-bit integer: ranges above 2^63-1 are carried as
the `long` with the same 64 bits. Timestamps are `timestamp-nanos`.
"""

from __future__ import annotations

import json
from typing import Any

from wirelab.model.schema import AnyType, Field, Int, List, Map, Ref, Schema, Timestamp
from wirelab.schema.emitters.common import fits_int32, label, plain

_SCALARS = {"Bool": "boolean", "Float": "float", "Double": "double", "String": "string", "Bytes": "bytes"}


def emit(schema: Schema) -> str:
    """The schema as an .avsc file."""
    return json.dumps(_Writer(schema).type(schema.root), indent=2, ensure_ascii=False) + "\n"


def integer(kind: Int) -> str:
    """`int` where the range fits 32 bits with sign, else `long`."""
    return "int" if fits_int32(kind) else "long"


class _Writer:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.written: set[str] = set()

    def type(self, kind: AnyType) -> Any:
        return ["null", self.plain(kind)] if kind.nullable else self.plain(kind)

    def plain(self, kind: AnyType) -> Any:
        if isinstance(kind, List):
            return {"type": "array", "items": self.type(kind.items)}
        if isinstance(kind, Map):
            return {"type": "map", "values": self.type(kind.values)}
        if isinstance(kind, Ref):
            return self.record(kind.name)
        if isinstance(kind, Timestamp):
            return {"type": "long", "logicalType": "timestamp-nanos"}
        return integer(kind) if isinstance(kind, Int) else _SCALARS[label(plain(kind))]

    def record(self, name: str) -> Any:
        if name in self.written:
            return name
        self.written.add(name)
        fields = [self.field(field) for field in self.schema.record(name).fields]
        return {"type": "record", "name": name, "fields": fields}

    def field(self, field: Field) -> dict[str, Any]:
        entry: dict[str, Any] = {"name": field.name}
        if field.key != field.name:
            entry["json"] = field.key
        if field.optional or field.type.nullable:
            return entry | {"type": ["null", self.plain(field.type)], "default": None}
        return entry | {"type": self.plain(field.type)}
