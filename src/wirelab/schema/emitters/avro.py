"""Avro: a field that may be absent or null is a union with null; a renamed field keeps its JSON key
in `json`.

A union is a union of its alternatives, a tuple a record of its items. Any root is legal, so none is
wrapped. Avro has no unsigned 64-bit integer: ranges above 2^63-1 are carried as the `long` with the
same 64 bits. Timestamps are `timestamp-nanos`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.model.schema import AnyType, Field, Int, List, Map, Record, Ref, Schema, Timestamp
from wirelab.schema.emitters.common import fits_int32, label, plain
from wirelab.schema.lowering import lowered

_SCALARS = {"Bool": "boolean", "Float": "float", "Double": "double", "String": "string", "Bytes": "bytes"}


def emit(schema: Schema) -> str:
    """The schema as an .avsc file.

    Raises BadInput where Avro cannot tell the alternatives of a union apart.
    """
    if why := indistinct(schema):
        raise BadInput("the Avro schema", why, "make one of them a string, or another format")
    writer = _Writer(schema)
    return json.dumps(writer.type(writer.schema.root), indent=2, ensure_ascii=False) + "\n"


def integer(kind: Int) -> str:
    """`int` if the range fits 32 bits with sign, else `long`."""
    return "int" if fits_int32(kind) else "long"


def alternative(kind: AnyType, records: Mapping[str, Record]) -> str:
    """The name that Avro libraries give a type in a union: its type in UpperCamelCase, or a
    record's own name.
    """
    name = kind.name if isinstance(kind, Ref) else ""
    if name and records[name].shape != "union":
        return name
    if isinstance(kind, List | Map):
        return "Array" if isinstance(kind, List) else "Map"
    written = "long" if isinstance(kind, Timestamp) else integer(kind) if isinstance(kind, Int) else ""
    return (written or _SCALARS[label(plain(kind))]).capitalize()


def indistinct(schema: Schema) -> str:
    """Alternatives of one union that Avro cannot tell apart; "" if there are none."""
    lower = lowered(schema)
    records = {record.name: record for record in lower.records}
    for record in lower.records:
        if record.shape == "union":
            names = [alternative(field.type, records) for field in record.fields]
            twice = next((name for name in names if names.count(name) > 1), "")
            if twice:
                return f"two alternatives of {record.name} are {twice.lower()} in Avro, whose unions have one of each type"
    return ""


class _Writer:
    def __init__(self, schema: Schema) -> None:
        self.schema = lowered(schema)
        self.written: set[str] = set()

    def type(self, kind: AnyType) -> Any:
        return self.or_null(kind) if kind.nullable else self.plain(kind)

    def or_null(self, kind: AnyType) -> list[Any]:
        """A union with null; a union within becomes part of it, since Avro's unions do not nest."""
        inner = self.plain(kind)
        return ["null", *(inner if isinstance(inner, list) else [inner])]

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
        record = self.schema.record(name)
        if record.shape == "union":
            return [self.plain(field.type) for field in record.fields]
        self.written.add(name)
        fields = [self.field(field) for field in record.fields]
        return {"type": "record", "name": name, "fields": fields}

    def field(self, field: Field) -> dict[str, Any]:
        entry: dict[str, Any] = {"name": field.name}
        if field.key != field.name:
            entry["json"] = field.key
        if field.optional or field.type.nullable:
            return entry | {"type": self.or_null(field.type), "default": None}
        return entry | {"type": self.plain(field.type)}
