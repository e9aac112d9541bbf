"""Protobuf: proto3, `optional` where presence must be recorded.

Integers: uint32/uint64 where the range has nothing below zero, else sint32/sint64, whose zigzag
coding keeps small negative numbers short; as a given .proto has them where there is one. Null in a
list or map, and a list or map in another, are wrapped in a message. A union is a message with a
oneof, in which a list or map is wrapped too; a tuple is a message of its items. Timestamps are
int64 ns, not google.protobuf.Timestamp, so that they cost what they cost in other formats.
"""

from __future__ import annotations

import json

from wirelab.model.schema import AnyType, Int, List, Map, Record, Ref, Schema
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

STYLE = Style(nested=False, maps=True, byte_items=True, numbers=True, alternatives="single")
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


def tables(schema: Schema) -> Layout:
    """The messages of the .proto."""
    return layout(schema, STYLE)


def emit(schema: Schema) -> str:
    """The schema as a .proto file."""
    plan = tables(schema)
    messages = [_message(table) for table in plan.tables]
    head = f'syntax = "proto3";\n\n// One payload message is a {plan.root}.\n'
    return "\n".join([head, *messages])


def scalar(kind: AnyType) -> str:
    """The Protobuf name of a type that is not a list or map."""
    if isinstance(kind, Int) and kind.coding:
        return CODED[kind.coding][label(kind)]
    return kind.name if isinstance(kind, Ref) else SCALARS[label(kind)]


def keeps_presence(slot: Slot) -> bool:
    """Whether the field is declared `optional`: lists and maps cannot be, messages need not."""
    return slot.optional and not isinstance(slot.type, List | Map | Ref)


def kept_keys(record: Record) -> frozenset[str]:
    """The JSON keys that the .proto keeps, as a field name or json_name."""
    slots = tuple(Slot(field_number(i, f), f.name, f.type, key=f.key) for i, f in enumerate(record.fields))
    written = _json_names(Table(record.name, "record", slots))
    known = (s.key for s in slots if s.key in (s.name, camel(s.name)) or s.number in written)
    return frozenset(key for key in known if key is not None)


def _message(table: Table) -> str:
    if not table.slots:
        return f"message {table.name} {{}}\n"
    if table.role == "union":
        cases = "".join(f"  {_field(slot, None)}" for slot in table.slots)
        return f"message {table.name} {{\n  oneof value {{\n{cases}  }}\n}}\n"
    json_names = _json_names(table)
    lines = [_field(slot, json_names.get(slot.number)) for slot in table.slots]
    return f"message {table.name} {{\n" + "".join(lines) + "}\n"


def _field(slot: Slot, json_name: str | None) -> str:
    option = f" [json_name = {_quoted(json_name)}]" if json_name is not None else ""
    remark = note(slot)
    prefix = "optional " if keeps_presence(slot) else ""
    comment = f"  // {remark}" if remark else ""
    return f"  {prefix}{_type(slot.type)} {slot.name} = {slot.number}{option};{comment}\n"


def _type(kind: AnyType) -> str:
    if isinstance(kind, List):
        return f"repeated {scalar(kind.items)}"
    if isinstance(kind, Map):
        return f"map<string, {scalar(kind.values)}>"
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
