"""Protobuf: proto3, `optional` where presence must be recorded; edition 2023 where there are
groups.

Integers: uint32/uint64 where the range has nothing below zero, else sint32/sint64, whose zigzag
coding keeps small negative numbers short; as a given .proto has them where there is one. Null in a
list or map, and a list or map in another, are wrapped in a message. A union is a message with a
oneof, in which a list or map is wrapped too; a tuple is a message of its items. Timestamps are
int64 ns, not google.protobuf.Timestamp, so that they cost what they cost in other formats; but as a
given .proto has them. What a given .proto says of presence, packing and groups is kept.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from wirelab.model.schema import Any, AnyType, Int, List, Map, Record, Ref, Schema, Timestamp, walk
from wirelab.schema.emitters.common import (
    Layout,
    Slot,
    Style,
    Table,
    camel,
    field_number,
    label,
    layout,
    note,
)

STYLE = Style(nested=False, maps=True, byte_items=True, given=True, alternatives="single")
SCALARS = {
    "Bool": "bool",
    "Uint32": "uint32",
    "Int32": "sint32",
    "Uint64": "uint64",
    "Int64": "sint64",
    "Float": "float",
    "Double": "double",
    "String": "string",
    "Timestamp": "int64",
    "Bytes": "bytes",
}
CODED = {
    "varint": {"Uint32": "uint32", "Int32": "int32", "Uint64": "uint64", "Int64": "int64"},
    "fixed": {"Uint32": "fixed32", "Int32": "sfixed32", "Uint64": "fixed64", "Int64": "sfixed64"},
}


_EDITION = 'edition = "2023";\noption features.field_presence = IMPLICIT;\n'


def tables(schema: Schema) -> Layout:
    """The messages of the .proto."""
    return layout(schema, STYLE)


def emit(schema: Schema) -> str:
    """The schema as a .proto file."""
    plan = tables(schema)
    is_edition = has_groups(schema)
    messages = [_message(table, is_edition) for table in plan.tables]
    syntax = _EDITION if is_edition else 'syntax = "proto3";\n'
    head = f"{syntax}\n// One payload message is a {plan.root}.\n"
    return "\n".join([head, *messages])


def has_groups(schema: Schema) -> bool:
    """Whether a field is a message between tags, which proto3 does not have."""
    return any(field.coding == "group" for record in schema.records for field in record.fields)


def find_coding(schema: Schema, codings: Collection[str]) -> str:
    """The first place that a given .proto codes in one of these ways; "" if there is none.

    They are those of `Field.coding`, `timestamp` (google.protobuf.Timestamp), `free`
    (google.protobuf.Value and its like) and `keys` (of a map, not text).
    """
    for record in schema.records:
        for field in record.fields:
            every: list[str] = [field.coding]
            for kind in walk(field.type):
                every += ["timestamp"] if isinstance(kind, Timestamp) and kind.coding else []
                every += ["free"] if isinstance(kind, Any) and kind.coding else []
                every += ["keys"] if isinstance(kind, Map) and kind.keys else []
            found = next((name for name in every if name in codings), "")
            if found:
                return f"{CODINGS[found]} at {record.name}.{field.key}"
    return ""


CODINGS = {
    "expanded": "numbers one by one",
    "free": "google.protobuf.Value",
    "group": "a group",
    "keys": "keys of a map that are not text",
    "required": "a required field",
    "timestamp": "google.protobuf.Timestamp",
    "wrapped": "a wrapper of google.protobuf",
}


def scalar(kind: AnyType) -> str:
    """The Protobuf name of a type that is not a list or map."""
    if isinstance(kind, Int) and kind.coding:
        return CODED[kind.coding][label(kind)]
    return kind.name if isinstance(kind, Ref) else SCALARS[label(kind)]


def keeps_presence(slot: Slot) -> bool:
    """Whether the field is declared `optional`: lists and maps cannot be, messages need not."""
    if slot.coding == "required":
        return True
    return slot.optional and not isinstance(slot.type, List | Map | Ref)


def kept_keys(record: Record) -> frozenset[str]:
    """The JSON keys that the .proto keeps, as a field name or json_name."""
    slots = tuple(Slot(field_number(i, f), f.name, f.type, key=f.key) for i, f in enumerate(record.fields))
    written = _json_names(Table(record.name, "record", slots))
    known = (s.key for s in slots if s.key in (s.name, camel(s.name)) or s.number in written)
    return frozenset(key for key in known if key is not None)


def _message(table: Table, is_edition: bool) -> str:
    if not table.slots:
        return f"message {table.name} {{}}\n"
    if table.role in ("union", "value"):
        cases = "".join(f"  {_field(slot, None, is_edition)}" for slot in table.slots)
        return f"message {table.name} {{\n  oneof value {{\n{cases}  }}\n}}\n"
    json_names = _json_names(table)
    lines = [_field(slot, json_names.get(slot.number), is_edition) for slot in table.slots]
    return f"message {table.name} {{\n" + "".join(lines) + "}\n"


def _field(slot: Slot, json_name: str | None, is_edition: bool) -> str:
    options = [f"json_name = {_quoted(json_name)}"] if json_name is not None else []
    if slot.coding == "expanded":
        options.append("features.repeated_field_encoding = EXPANDED" if is_edition else "packed = false")
    if slot.coding == "group":
        options.append("features.message_encoding = DELIMITED")
    if keeps_presence(slot) and is_edition:
        options.append("features.field_presence = EXPLICIT")
    prefix = "optional " if keeps_presence(slot) and not is_edition else ""
    option = f" [{', '.join(options)}]" if options else ""
    remark = note(slot)
    comment = f"  // {remark}" if remark else ""
    return f"  {prefix}{_type(slot.type)} {slot.name} = {slot.number}{option};{comment}\n"


def _type(kind: AnyType) -> str:
    if isinstance(kind, List):
        return f"repeated {scalar(kind.items)}"
    if isinstance(kind, Map):
        return f"map<{kind.keys or 'string'}, {scalar(kind.values)}>"
    return scalar(kind)


def _json_names(table: Table) -> dict[int, str]:
    """Field number -> json_name, for JSON keys that the parser would not find otherwise."""
    keys = {slot.number: slot.key for slot in table.slots if slot.key is not None and _sayable(slot.key)}
    needed = {s.number for s in table.slots if s.key not in (s.name, camel(s.name))} & keys.keys()
    for chosen in (needed, set(keys), set[int]()):
        names = [keys[s.number] if s.number in chosen else camel(s.name) for s in table.slots]
        if len({name.lower() for name in names}) == len(names):
            return {number: str(keys[number]) for number in chosen}
    return {}


def _sayable(key: str) -> bool:
    return key != "" and not key.startswith("[") and key.isprintable()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
