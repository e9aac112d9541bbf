"""Thrift: `optional` where a field may be absent or null, else `required`; null in a list or map
wrapped in a struct.

A union is a union, a tuple a struct of its items. Thrift has signed integers only: i32 where the
range fits it, else i64; above 2^63-1 the i64 with the same 64 bits.
"""

from __future__ import annotations

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


def emit(schema: Schema) -> str:
    """The schema as a .thrift file."""
    plan = tables(schema)
    return "\n".join([f"// One payload message is a {plan.root}.\n", *map(_struct, plan.tables)])


def type_name(kind: AnyType) -> str:
    """The Thrift name of a lowered type."""
    if isinstance(kind, List):
        return f"list<{type_name(kind.items)}>"
    if isinstance(kind, Map):
        return f"map<string, {type_name(kind.values)}>"
    if isinstance(kind, Int):
        return "i32" if fits_int32(kind) else "i64"
    return kind.name if isinstance(kind, Ref) else SCALARS[label(kind)]


def _struct(table: Table) -> str:
    if table.role == "union":
        cases = "".join(f"  {slot.number}: {type_name(slot.type)} {slot.name};\n" for slot in table.slots)
        return f"union {table.name} {{\n{cases}}}\n"
    return f"struct {table.name} {{\n{''.join(map(_field, table.slots))}}}\n"


def _field(slot: Slot) -> str:
    presence, remark = "optional" if slot.optional else "required", note(slot)
    comment = f"  // {remark}" if remark else ""
    return f"  {slot.number}: {presence} {type_name(slot.type)} {slot.name};{comment}\n"
