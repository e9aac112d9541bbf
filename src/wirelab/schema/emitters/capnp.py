"""Cap'n Proto: a scalar that may be absent is a union with Void; a text, list or struct that is
absent is a null pointer.

Ordinals follow the order of fields from @0; a union takes two. A map is a list of entry structs
sorted by key, and null in a list is wrapped in a struct. A union is a struct with an unnamed union,
a tuple a struct of its items. Field names are camelCase, as the language demands.
"""

from __future__ import annotations

import hashlib

from wirelab.model.schema import AnyType, Base64, List, Ref, Schema, Text
from wirelab.schema.emitters.common import Layout, Slot, Style, Table, camel, label, layout, note

STYLE = Style(nested=True, maps=False, byte_items=True)
SCALARS = {
    "Bool": "Bool",
    "Uint32": "UInt32",
    "Int32": "Int32",
    "Uint64": "UInt64",
    "Int64": "Int64",
    "Float": "Float32",
    "Double": "Float64",
    "String": "Text",
    "Timestamp": "Int64",
    "Bytes": "Data",
}


def tables(schema: Schema) -> Layout:
    """The structs of the .capnp."""
    return layout(schema, STYLE)


def emit(schema: Schema) -> str:
    """The schema as a .capnp file.

    Its id is drawn from the root's name, so that it stays the same.
    """
    plan = tables(schema)
    file_id = int.from_bytes(hashlib.sha256(plan.root.encode()).digest()[:8], "big") | 1 << 63
    head = f"@0x{file_id:016x};\n\n# One payload message is a {plan.root}.\n"
    return "\n".join([head, *map(_struct, plan.tables)])


def is_pointer(kind: AnyType) -> bool:
    """Whether a field of this type is a pointer, which can be null by itself."""
    return isinstance(kind, List | Ref | Text | Base64)


def type_name(kind: AnyType) -> str:
    """The Cap'n Proto name of a lowered type."""
    if isinstance(kind, List):
        return f"List({type_name(kind.items)})"
    return kind.name if isinstance(kind, Ref) else SCALARS[label(kind)]


def _struct(table: Table) -> str:
    if table.role == "union":
        cases = "".join(f"  {_field(slot, index)[0]}" for index, slot in enumerate(table.slots))
        return f"struct {table.name} {{\n  union {{\n{cases}  }}\n}}\n"
    lines, ordinal = [], 0
    for slot in table.slots:
        text, used = _field(slot, ordinal)
        lines.append(text)
        ordinal += used
    return f"struct {table.name} {{\n{''.join(lines)}}}\n"


def _field(slot: Slot, ordinal: int) -> tuple[str, int]:
    name, kind, remark = camel(slot.name), type_name(slot.type), note(slot)
    comment = f"  # {remark}" if remark else ""
    if not slot.optional or is_pointer(slot.type):
        return f"  {name} @{ordinal} :{kind};{comment}\n", 1
    head = f"  {name} :union {{{comment}\n"
    return f"{head}    absent @{ordinal} :Void;\n    value @{ordinal + 1} :{kind};\n  }}\n", 2
