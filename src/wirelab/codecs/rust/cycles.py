"""References that close a cycle of records: native types need a box where they hold one another."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from wirelab.model.schema import AnyType, Field, List, Map, Record, Ref, Schema, walk
from wirelab.schema.recursion import components, recursive


class CyclicRef(Ref, frozen=True, tag="cyclic"):
    """A use of a record inside itself. `is_boxed`: not through a list or map, so it needs a box."""

    is_boxed: bool = False


def with_cycles(schema: Schema) -> Schema:
    """A lowered schema whose references that close a cycle are marked; itself if there is none."""
    if not recursive(schema.records):
        return schema
    cycle_of = _numbers(components(schema.records))
    held_by = _numbers(components(schema.records, _held))

    def marked(kind: AnyType, record: str, is_held: bool) -> AnyType:
        if isinstance(kind, List):
            return replace(kind, items=marked(kind.items, record, False))
        if isinstance(kind, Map):
            return replace(kind, values=marked(kind.values, record, False))
        if not isinstance(kind, Ref) or cycle_of[kind.name] != cycle_of[record]:
            return kind
        return CyclicRef(kind.nullable, kind.name, is_held and held_by[kind.name] == held_by[record])

    def in_field(field: Field, record: Record) -> Field:
        return replace(field, type=marked(field.type, record.name, True))

    records = tuple(replace(r, fields=tuple(in_field(f, r) for f in r.fields)) for r in schema.records)
    return replace(schema, records=records)


def is_boxed(kind: AnyType) -> bool:
    """Whether a native value of this type is behind a pointer."""
    return isinstance(kind, CyclicRef) and kind.is_boxed


def is_cyclic(kind: AnyType) -> bool:
    """Whether values of a type hold the record again that it is inside."""
    return any(isinstance(one, CyclicRef) for one in walk(kind))


def in_box(value: str, kind: AnyType) -> str:
    """A value as its native type holds it."""
    return f"::std::boxed::Box::new({value})" if is_boxed(kind) else value


def out_of_box(value: str, kind: AnyType) -> str:
    """A value that its type may hold behind a pointer."""
    return f"*{value}" if is_boxed(kind) else value


def _held(kind: AnyType) -> Iterator[AnyType]:
    yield kind


def _numbers(groups: list[list[str]]) -> dict[str, int]:
    return {name: number for number, group in enumerate(groups) for name in group}
