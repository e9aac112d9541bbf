"""Thrift: `optional` where a field may be absent or null, else `required`; null in a list or map
wrapped in a struct.

A union is a union, a tuple a struct of its items. Thrift has signed integers only: i32 where the
range fits it, else i64; above 2^63-1 the i64 with the same 64 bits.
"""

from __future__ import annotations

from collections.abc import Mapping

from wirelab.model.schema import AnyType, Int, List, Map, Ref, Schema
from wirelab.schema.emitters.common import Layout, Slot, Style, Table, fits_int32, label, layout, note

STYLE = Style(nested=True, maps=True, byte_items=True)
SCALARS = {
    "Bool": "bool",
    "Float": "double",
    "Double": "double",
    "String": "string",
    "Timestamp": "i64",
    "Bytes": "binary",
}


def tables(schema: Schema) -> Layout:
    """The structs of the .thrift."""
    return layout(schema, STYLE)


def emit(schema: Schema, boxed: bool = False) -> str:
    """The schema as a .thrift file.

    `boxed`: a field whose struct is not complete before its own is a reference (`&`), as code in C++
    needs it. The fields of such a struct are neither required nor optional: what the compiler
    writes for references does not compile for required ones. The bytes are the same.
    """
    plan = tables(schema)
    places = {table.name: place for place, table in enumerate(plan.tables)}
    boxes = {
        (table.name, slot.name): slot.type.name
        for table in plan.tables
        for slot in table.slots
        if boxed and isinstance(slot.type, Ref) and places[slot.type.name] >= places[table.name]
    }
    structs = [_struct(table, boxes) for table in plan.tables]
    return "\n".join([f"// One payload message is a {plan.root}.\n", *structs])


def type_name(kind: AnyType) -> str:
    """The Thrift name of a lowered type."""
    if isinstance(kind, List):
        return f"list<{type_name(kind.items)}>"
    if isinstance(kind, Map):
        return f"map<string, {type_name(kind.values)}>"
    if isinstance(kind, Int):
        return "i32" if fits_int32(kind) else "i64"
    return kind.name if isinstance(kind, Ref) else SCALARS[label(kind)]


def _struct(table: Table, boxes: Mapping[tuple[str, str], str]) -> str:
    required = "" if table.role == "union" or table.name in boxes.values() else "required "
    fields = "".join(_field(slot, required, (table.name, slot.name) in boxes) for slot in table.slots)
    return f"{'union' if table.role == 'union' else 'struct'} {table.name} {{\n{fields}}}\n"


def _field(slot: Slot, required: str, is_boxed: bool) -> str:
    presence, remark = "optional " if slot.optional else required, note(slot)
    comment = f"  // {remark}" if remark else ""
    name = f"& {slot.name}" if is_boxed else slot.name
    return f"  {slot.number}: {presence}{type_name(slot.type)} {name};{comment}\n"
