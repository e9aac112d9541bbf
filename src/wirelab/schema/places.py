"""The types of a schema with a path to each."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from wirelab.model.schema import AnyType, Field, List, Map, Record, Ref, Schema, Tuple, Union
from wirelab.schema.paths import Every, Part


class Place(Struct, frozen=True):
    """A type and its path. `record` and `field` are set where the type is that of a whole field."""

    kind: AnyType
    path: tuple[Part, ...]
    record: Record | None = None
    field: Field | None = None


def places(schema: Schema, every_record: bool = False) -> Iterator[Place]:
    """Every type of a message, outermost first; a record's fields at its first use.

    `every_record`: then those of the records that no message uses, under the record's name.
    """
    records = {record.name: record for record in schema.records}
    unused = [Place(Ref(name=name), (name,)) for name in reversed(records)] if every_record else []
    stack = [*unused, Place(schema.root, ())]
    seen: set[str] = set()
    while stack:
        place = stack.pop()
        yield place
        if not (isinstance(place.kind, Ref) and place.kind.name in seen):
            stack += reversed(_inside(place.kind, place.path, records))
        if isinstance(place.kind, Ref):
            seen.add(place.kind.name)


def _inside(kind: AnyType, path: tuple[Part, ...], records: dict[str, Record]) -> list[Place]:
    if isinstance(kind, List):
        return [Place(kind.items, (*path, Every.ITEM))]
    if isinstance(kind, Map):
        return [Place(kind.values, (*path, Every.VALUE))]
    if isinstance(kind, Tuple):
        return [Place(item, (*path, index)) for index, item in enumerate(kind.items)]
    if isinstance(kind, Union):
        return [Place(one, path) for one in kind.alternatives]
    if isinstance(kind, Ref):
        record = records[kind.name]
        return [Place(field.type, (*path, field.key), record, field) for field in record.fields]
    return []
