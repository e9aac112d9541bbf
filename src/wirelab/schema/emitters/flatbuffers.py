"""FlatBuffers: tables, `= null` for scalars that may be absent, `(required)` for references that
may not.

A map is a vector of entry tables sorted by key, so that a reader can search it in place. Vectors
and byte strings in vectors, and null in a vector, are wrapped in a table: no offset there stands
for nothing. A union is a table that holds a union of tables, in which other values are wrapped; a
tuple is a table of its items.
"""

from __future__ import annotations

from wirelab.model.schema import AnyType, Bool, Float, Int, List, Map, Ref, Schema, Timestamp
from wirelab.schema.emitters.common import Layout, Slot, Style, Table, label, layout, note
from wirelab.schema.lowering import lowered

STYLE = Style(nested=False, maps=False, byte_items=False, alternatives="tables")
SCALARS = {
    "Bool": "bool",
    "Uint32": "uint32",
    "Int32": "int32",
    "Uint64": "uint64",
    "Int64": "int64",
    "Float": "float",
    "Double": "double",
    "String": "string",
    "Timestamp": "int64",
    "Bytes": "[ubyte]",
}


def tables(schema: Schema) -> Layout:
    """The tables of the .fbs."""
    return layout(schema, STYLE)


def emit(schema: Schema) -> str:
    """The schema as a .fbs file."""
    plan = tables(schema)
    head = f"// One payload message is a {plan.root}.\n"
    parts = [_union(plan, table) if table.role == "union" else _table(table) for table in plan.tables]
    return "\n".join([head, *parts, f"root_type {plan.root};\n"])


def too_many_alternatives(schema: Schema) -> str:
    """Why a schema cannot be compiled: the type of a union is a byte, in which 0 is none."""
    many = [
        record for record in lowered(schema).records if record.shape == "union" and len(record.fields) > 255
    ]
    return f"{many[0].name} has more than the 255 alternatives of a FlatBuffers union" if many else ""


def union_name(plan: Layout, table: Table) -> str:
    """The name of the union in a union's table."""
    taken = {one.name.lower() for one in plan.tables}
    name = f"{table.name}Value"
    while name.lower() in taken:
        name += "s"
    return name


def is_inline(kind: AnyType) -> bool:
    """Whether a field of this type is stored in the table (a scalar) instead of behind an offset."""
    return isinstance(kind, Bool | Int | Float | Timestamp)


def type_name(kind: AnyType) -> str:
    """The FlatBuffers name of a lowered type."""
    if isinstance(kind, List):
        return f"[{type_name(kind.items)}]"
    if isinstance(kind, Map):
        raise TypeError("maps are lowered to entry tables")
    return kind.name if isinstance(kind, Ref) else SCALARS[label(kind)]


def _union(plan: Layout, table: Table) -> str:
    name = union_name(plan, table)
    members = ", ".join(type_name(slot.type) for slot in table.slots)
    return f"union {name} {{ {members} }}\n\ntable {table.name} {{\n  value: {name} (required);\n}}\n"


def _table(table: Table) -> str:
    lines = "".join(_field(slot, table.role == "entry" and slot.name == "key") for slot in table.slots)
    return f"table {table.name} {{\n{lines}}}\n"


def _field(slot: Slot, is_key: bool) -> str:
    remark = note(slot)
    comment = f"  /// {remark}\n" if remark else ""
    suffix = " (key)" if is_key else _presence(slot)
    return f"{comment}  {slot.name}: {type_name(slot.type)}{suffix};\n"


def _presence(slot: Slot) -> str:
    if is_inline(slot.type):
        return " = null" if slot.optional else ""
    return "" if slot.optional else " (required)"
