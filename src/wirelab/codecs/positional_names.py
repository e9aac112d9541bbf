"""Schemas with numbered names, for generated Java and C++.

Records become T0, T1 ... and fields f0, f1 .... Such names are never reserved words, never collide
with methods that a format's compiler adds, and never differ only in case. Formats with a schema
do not encode names. Formats that write keys take them from the original schema.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from wirelab.model.schema import AnyType, Field, Int, List, Map, Ref, Schema


def numbered(schema: Schema) -> Schema:
    """The schema with numbered names for keys and names; positions stay."""
    names = {record.name: f"T{index}" for index, record in enumerate(schema.records)}
    records = tuple(
        replace(
            record,
            name=names[record.name],
            fields=tuple(map(_numbered_field(names), range(len(record.fields)), record.fields)),
        )
        for record in schema.records
    )
    return Schema(_renamed(schema.root, names), records)


def _numbered_field(names: dict[str, str]) -> Callable[[int, Field], Field]:
    return lambda index, field: replace(
        field, key=f"f{index}", name=f"f{index}", type=_renamed(field.type, names)
    )


def _renamed(kind: AnyType, names: dict[str, str]) -> AnyType:
    if isinstance(kind, List):
        return replace(kind, items=_renamed(kind.items, names))
    if isinstance(kind, Map):
        return replace(kind, values=_renamed(kind.values, names))
    return replace(kind, name=names[kind.name]) if isinstance(kind, Ref) else kind


def is_above_i64(kind: Int) -> bool:
    """Whether the range exceeds a long."""
    return kind.high >= 2**63
