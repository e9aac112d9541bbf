"""Records nested in themselves: levels of the same shape become one recursive record.

Inference makes a record for each level of a tree. Levels are one record if there are at least
`MIN_LEVELS` under the same key, each with no other keys than the outermost and with types that
agree, and if the innermost holds no other record there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from wirelab.model.schema import AnyType, Field, List, Map, Record, Ref, Schema, String, walk
from wirelab.schema.records import widened, with_null
from wirelab.schema.recursion import ordered

MIN_LEVELS = 3
Notes = dict[tuple[str, str], str]
_UNSEEN = ("no item seen", "only null seen")


def with_recursion(schema: Schema, notes: Notes) -> tuple[Schema, Notes]:
    """The schema and its notes with a recursive record for levels of one shape."""
    uses = Counter(_uses(schema))
    records = {record.name: record for record in schema.records}
    for record in reversed(schema.records):
        for field in record.fields:
            found = _Levels(schema, notes, _below(record, field.key, records, uses), field.key).folded()
            if found is not None:
                return with_recursion(*found)
    return schema, notes


class _Levels:
    """The levels below a record under one key."""

    def __init__(self, schema: Schema, notes: Notes, levels: Sequence[Record], key: str) -> None:
        self.schema, self.notes, self.levels, self.key = schema, notes, levels, key

    def folded(self) -> tuple[Schema, Notes] | None:
        """The schema and notes with these levels as one record; None where they differ."""
        if len(self.levels) < MIN_LEVELS or _nested(self.levels[-1], self.key):
            return None
        outermost, inner = self.levels[0], {level.name for level in self.levels[1:]}
        fields = [self.field(field) for field in outermost.fields]
        if None in fields:
            return None
        record = replace(outermost, fields=tuple(field for field in fields if field))
        kept = (record if one is outermost else one for one in self.schema.records if one.name not in inner)
        notes = {place: text for place, text in self.notes.items() if place[0] not in inner}
        notes |= {
            (record.name, self.key): f"nested in itself at {len(self.levels)} levels: a recursive record"
        }
        return replace(self.schema, records=ordered(tuple(kept))), notes

    def field(self, outer: Field) -> Field | None:
        """A field of all levels; None where their types differ."""
        own = [(level, field) for level in self.levels for field in level.fields if field.key == outer.key]
        optional = len(own) < len(self.levels) or any(field.optional for _, field in own)
        nullable = any(field.type.nullable for _, field in own)
        kinds = [field.type for level, field in own if not self.is_unseen(level, field)]
        if outer.key == self.key:
            kinds = [_renamed(kind, self.levels[0].name) for kind in kinds]
        joined: AnyType | None = kinds[0] if kinds else outer.type
        for kind in kinds[1:]:
            joined = joined and widened(joined, kind)
        return None if joined is None else replace(outer, type=with_null(joined, nullable), optional=optional)

    def is_unseen(self, level: Record, field: Field) -> bool:
        """Whether no value was seen that decides the type."""
        return any(text in self.notes.get((level.name, field.key), "") for text in _UNSEEN)


def _below(
    outermost: Record, key: str, records: Mapping[str, Record], uses: Mapping[str, int]
) -> list[Record]:
    """The record and those under a key of it, down to the first that is used elsewhere too, or has
    a key of its own.
    """
    levels = [outermost]
    keys = {field.key for field in outermost.fields}
    while name := _nested(levels[-1], key):
        inner = records[name]
        if inner in levels or uses[name] > 1 or not keys.issuperset(field.key for field in inner.fields):
            break
        levels.append(inner)
    return levels


def _nested(record: Record, key: str) -> str:
    """The record in a field of this key, in a list or map or not; "" if there is none."""
    kinds = [field.type for field in record.fields if field.key == key]
    inner = kinds[0] if kinds else String()
    while isinstance(inner, List | Map):
        inner = inner.items if isinstance(inner, List) else inner.values
    return inner.name if isinstance(inner, Ref) else ""


def _renamed(kind: AnyType, name: str) -> AnyType:
    if isinstance(kind, List):
        return replace(kind, items=_renamed(kind.items, name))
    if isinstance(kind, Map):
        return replace(kind, values=_renamed(kind.values, name))
    return replace(kind, name=name) if isinstance(kind, Ref) else kind


def _uses(schema: Schema) -> Sequence[str]:
    kinds = [schema.root, *(field.type for record in schema.records for field in record.fields)]
    return [one.name for kind in kinds for one in walk(kind) if isinstance(one, Ref)]
