"""Schemas with numbered names, as generated Java and C++ use them.

Records become T0, T1 ... and fields f0, f1 ...: no such name is a reserved word, meets a method that a compiler
of a format adds, or differs from another in case alone. Names are not in the bytes of a format that has a schema;
formats that write keys take them from the schema itself.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from wirelab.model.schema import AnyType, Field, Int, List, Map, Record, Ref, Schema


def numbered(schema: Schema) -> Schema:
    """The schema with numbered names for keys and names; positions stay."""
    names = {record.name: f"T{index}" for index, record in enumerate(schema.records)}
    records = tuple(
        Record(
            names[record.name], tuple(map(_numbered_field(names), range(len(record.fields)), record.fields))
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
    """Whether the range leaves a long."""
    return kind.high >= 2**63
