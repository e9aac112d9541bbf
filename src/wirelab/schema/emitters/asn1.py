"""ASN.1 in automatic tags: OPTIONAL where a field may be absent or null, integers by the range
seen, which is extensible.

A float is a scaled integer, digits times ten to the scale: packed encodings have no short form of
REAL, and its library refuses it. A map is a SEQUENCE OF entries sorted by key; null in a list is
wrapped in a SEQUENCE. A union is a CHOICE, a tuple a SEQUENCE of its items.
"""

from __future__ import annotations

from wirelab.model.schema import AnyType, Base64, Bool, Float, Int, List, Ref, Schema, Timestamp
from wirelab.schema.emitters.common import RANGES, Layout, Slot, Style, Table, layout, note, width

STYLE = Style(nested=True, maps=False, byte_items=True)
SCALED = "Scaled"
_HEAD = """-- One payload message is a {root}.
{module} DEFINITIONS AUTOMATIC TAGS ::= BEGIN

-- A number: digits times ten to the scale.
{scaled} ::= SEQUENCE {{
  digits INTEGER,
  scale INTEGER (-400..400)
}}
"""


def tables(schema: Schema) -> Layout:
    """The SEQUENCEs of the module."""
    return layout(schema, STYLE)


def emit(schema: Schema) -> str:
    """The schema as an ASN.1 module."""
    plan = tables(schema)
    head = _HEAD.format(root=_type_name(plan.root), module=f"{_type_name(plan.root)}-Module", scaled=SCALED)
    return "\n".join([head, *map(_sequence, plan.tables), "END\n"])


def constraint(kind: Int) -> str:
    """The range of an integer field: the inferred range, and an extension mark for all others."""
    return f"{kind.low}..{kind.high}"


def _sequence(table: Table) -> str:
    last = len(table.slots) - 1
    if table.role == "union":
        cases = ",\n".join(f"  {_name(slot.name)} {_type(slot.type)}" for slot in table.slots)
        return f"{_type_name(table.name)} ::= CHOICE {{\n{cases}\n}}\n"
    lines = "".join(_field(slot, index == last) for index, slot in enumerate(table.slots))
    return f"{_type_name(table.name)} ::= SEQUENCE {{\n{lines}}}\n"


def _field(slot: Slot, is_last: bool) -> str:
    remark = note(slot)
    kind = f"INTEGER ({constraint(slot.type)}, ...)" if isinstance(slot.type, Int) else _type(slot.type)
    comment = f"  -- {remark}" if remark else ""
    return f"  {_name(slot.name)} {kind}{' OPTIONAL' if slot.optional else ''}{'' if is_last else ','}{comment}\n"


def _type(kind: AnyType) -> str:
    if isinstance(kind, List):
        return f"SEQUENCE OF {_type(kind.items)}"
    if isinstance(kind, Int):
        low, high = RANGES[width(kind)]
        return f"INTEGER ({low}..{high})"
    if isinstance(kind, Ref):
        return _type_name(kind.name)
    names: dict[type, str] = {
        Bool: "BOOLEAN",
        Float: SCALED,
        Timestamp: "INTEGER (-9223372036854775808..9223372036854775807)",
        Base64: "OCTET STRING",
    }
    return names.get(type(kind), "UTF8String")


def _type_name(name: str) -> str:
    return (name[:1].upper() + name[1:]).replace("_", "-").strip("-")


def _name(name: str) -> str:
    plain = "-".join(part for part in name.split("_") if part)
    return plain[:1].lower() + plain[1:]
