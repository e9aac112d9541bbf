"""XDR (RFC 4506): `*` where a field may be absent or null; a list is a variable-length array.

A map is an array of entry structs sorted by key. Arrays of arrays and null in an array are wrapped
in a struct; an array that may be absent needs a typedef of its own. A record without fields holds
one unused int: XDR has no empty struct.
"""

from __future__ import annotations

from wirelab.model.schema import AnyType, Base64, List, Ref, Schema, Text
from wirelab.schema.emitters.common import Layout, Slot, Style, Table, label, layout, note

STYLE = Style(nested=False, maps=False, byte_items=True)
SCALARS = {
    "Bool": "bool",
    "Uint32": "unsigned int",
    "Int32": "int",
    "Uint64": "unsigned hyper",
    "Int64": "hyper",
    "Float": "float",
    "Double": "double",
    "String": "Utf8",
    "Timestamp": "hyper",
    "Bytes": "Octets",
}


def tables(schema: Schema) -> Layout:
    """The structs of the .x."""
    return layout(schema, STYLE)


def emit(schema: Schema) -> str:
    """The schema as a .x file."""
    plan = tables(schema)
    head = f"/* One payload message is a {plan.root}. */\n"
    types = "typedef string Utf8<>;\ntypedef opaque Octets<>;\n"
    return "\n".join([head, types, *map(_struct, plan.tables)])


def _struct(table: Table) -> str:
    if table.role == "union":
        cases = "".join(f"case {index}:\n{_field(table, slot)}" for index, slot in enumerate(table.slots))
        return f"union {table.name} switch (unsigned int alternative) {{\n{cases}}};\n"
    arrays = [slot for slot in table.slots if slot.optional and isinstance(slot.type, List)]
    types = "".join(
        f"typedef {_name(slot.type.items)} {_array(table, slot)}<>;\n"
        for slot in arrays
        if isinstance(slot.type, List)
    )
    fields = "".join(_field(table, slot) for slot in table.slots) or "    int unused; /* always 0 */\n"
    return f"{types}struct {table.name} {{\n{fields}}};\n"


def _field(table: Table, slot: Slot) -> str:
    remark = note(slot).replace("*/", "* /")
    comment = f" /* {remark} */" if remark else ""
    return f"    {_declaration(table, slot)};{comment}\n"


def _declaration(table: Table, slot: Slot) -> str:
    kind = slot.type
    if slot.optional:
        return f"{_array(table, slot) if isinstance(kind, List) else _name(kind)} *{slot.name}"
    if isinstance(kind, List):
        return f"{_name(kind.items)} {slot.name}<>"
    if isinstance(kind, Text | Base64):
        return f"{'string' if isinstance(kind, Text) else 'opaque'} {slot.name}<>"
    return f"{_name(kind)} {slot.name}"


def _array(table: Table, slot: Slot) -> str:
    return f"{table.name}_{slot.name}"


def _name(kind: AnyType) -> str:
    return kind.name if isinstance(kind, Ref) else SCALARS[label(kind)]
