"""Two versions of a schema, aligned as their developers would write them.

Fields that stay keep their order and number, and new ones are appended. A schema language that
cannot leave out a field keeps a removed one as a field that is never written.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from wirelab.model.schema import AnyType, Field, List, Map, Record, Ref, Schema, Tuple, Union
from wirelab.schema.emitters.common import field_number, number
from wirelab.schema.names import folded, record_name
from wirelab.schema.paths import Every, Part, show
from wirelab.schema.records import widened
from wirelab.schema.types import show_type

Path = tuple[Part, ...]


class Versions(Struct, frozen=True):
    """Old and new version of a schema.

    `new_padded` is the new one with removed fields as optional ones in their old place.
    """

    old: Schema
    new: Schema
    new_padded: Schema
    changes: tuple[str, ...]


def align(old: Schema, new: Schema, equal_ranges: bool = False) -> Versions:
    """The versions with the new one's records named, ordered and numbered after the old one's.

    Records are paired from the root along equal keys. A record that has numbers keeps them and its
    order. `equal_ranges`: integers of a field that both have get the range of both.
    """
    pairs = _Pairs(old, new)
    renamed = _renamed(new, pairs.names(new))
    if equal_ranges:
        old, renamed = _equal_ranges(old, renamed)
    before = {record.name: record for record in old.records}
    plain: list[Record] = []
    padded: list[Record] = []
    extra: dict[str, Record] = {}
    for record in renamed.records:
        paired = before.get(record.name) if record.name in pairs.olds else None
        plain.append(_appended(paired, record) if paired else record)
        padded.append(_padded(paired, record) if paired else record)
        extra |= _used_by_removed(old, paired, record) if paired else {}
    known = {record.name for record in renamed.records}
    more = [record for name, record in extra.items() if name not in known]
    new_plain = Schema(renamed.root, tuple(plain))
    return Versions(old, new_plain, Schema(renamed.root, (*more, *padded)), tuple(_changes(old, new_plain)))


class _Pairs:
    """Records of the new schema and those of the old one that they continue."""

    def __init__(self, old: Schema, new: Schema) -> None:
        self.old, self.new = old, new
        self.found: dict[str, str] = {}
        self.olds: set[str] = set()
        self._types(old.root, new.root)

    def names(self, new: Schema) -> dict[str, str]:
        """The name of each record of the new schema: that of the old one, or one of its own."""
        taken = set(map(folded, self.found.values()))
        names = dict(self.found)
        for record in new.records:
            if record.name not in names:
                free = folded(record.name) not in taken
                names[record.name] = record.name if free else record_name(record.name, taken)
                taken.add(folded(names[record.name]))
        return names

    def _types(self, one: AnyType, other: AnyType) -> None:
        if isinstance(one, Ref) and isinstance(other, Ref):
            self._records(one.name, other.name)
        elif isinstance(one, List) and isinstance(other, List):
            self._types(one.items, other.items)
        elif isinstance(one, Map) and isinstance(other, Map):
            self._types(one.values, other.values)
        elif isinstance(one, Tuple) and isinstance(other, Tuple):
            for pair in zip(one.items, other.items, strict=False):
                self._types(*pair)
        elif isinstance(one, Union) or isinstance(other, Union):
            self._unions(_alternatives(one), _alternatives(other))

    def _unions(self, ones: tuple[AnyType, ...], others: tuple[AnyType, ...]) -> None:
        refs = [[kind.name for kind in kinds if isinstance(kind, Ref)] for kinds in (ones, others)]
        both = [name for name in refs[0] if name in refs[1]]
        rest = [[name for name in names if name not in both] for names in refs]
        for pair in [*zip(both, both, strict=True), *zip(*rest, strict=False)]:
            self._records(*pair)
        for one in ones:
            for other in others:
                if not isinstance(one, Ref) and type(one) is type(other):
                    self._types(one, other)

    def _records(self, one: str, other: str) -> None:
        if other in self.found or one in self.olds:
            return
        self.found[other] = one
        self.olds.add(one)
        kinds = {field.key: field.type for field in self.old.record(one).fields}
        for field in self.new.record(other).fields:
            if field.key in kinds:
                self._types(kinds[field.key], field.type)


def _alternatives(kind: AnyType) -> tuple[AnyType, ...]:
    return kind.alternatives if isinstance(kind, Union) else (kind,)


def _renamed(schema: Schema, names: dict[str, str]) -> Schema:
    def type_(kind: AnyType) -> AnyType:
        if isinstance(kind, Ref):
            return replace(kind, name=names[kind.name])
        if isinstance(kind, List):
            return replace(kind, items=type_(kind.items))
        if isinstance(kind, Map):
            return replace(kind, values=type_(kind.values))
        if isinstance(kind, Tuple):
            return replace(kind, items=tuple(map(type_, kind.items)))
        if isinstance(kind, Union):
            return replace(kind, alternatives=tuple(map(type_, kind.alternatives)))
        return kind

    records = tuple(
        replace(
            record,
            name=names[record.name],
            fields=tuple(replace(field, type=type_(field.type)) for field in record.fields),
        )
        for record in schema.records
    )
    return Schema(type_(schema.root), records)


def _equal_ranges(old: Schema, new: Schema) -> tuple[Schema, Schema]:
    """Both schemas with the ranges of both in fields that have the same type but for these."""

    def record(one: Record, others: dict[str, Record]) -> Record:
        other = {f.key: f for f in others[one.name].fields} if one.name in others else {}

        def type_(field: Field) -> AnyType:
            kind = other[field.key].type if field.key in other else field.type
            if kind.nullable != field.type.nullable:
                return field.type
            return widened(field.type, kind) or field.type

        return replace(one, fields=tuple(replace(field, type=type_(field)) for field in one.fields))

    before = {one.name: one for one in old.records}
    after = {one.name: one for one in new.records}
    return (
        replace(old, records=tuple(record(one, after) for one in old.records)),
        replace(new, records=tuple(record(one, before) for one in new.records)),
    )


def _is_numbered(record: Record) -> bool:
    return any(field.number for field in record.fields)


def _appended(old: Record, new: Record) -> Record:
    """The new record with fields in the old order, new ones last, and with numbers that continue."""
    if _is_numbered(new):
        return new
    numbers = {field.key: field_number(k, field) for k, field in enumerate(old.fields)}
    stay = [field for key in numbers for field in new.fields if field.key == key]
    added = [field for field in new.fields if field.key not in numbers]
    if len(stay) == len(numbers) and not _is_numbered(old):
        return replace(new, fields=(*stay, *added))
    highest = max(numbers.values(), default=0)
    free = (value for value in map(number, range(highest, highest + 30_000)) if value > highest)
    numbered = [replace(field, number=numbers[field.key]) for field in stay]
    return replace(new, fields=(*numbered, *(replace(field, number=next(free)) for field in added)))


def _padded(old: Record, new: Record) -> Record:
    """The new record in the old order, with removed fields as optional ones."""
    fields = {field.key: field for field in new.fields}
    kept = [fields.pop(field.key, replace(field, optional=True)) for field in old.fields]
    names = {folded(field.name) for field in fields.values()}
    kept = [
        replace(field, name=f"{field.name}_removed") if folded(field.name) in names else field
        for field in kept
    ]
    return replace(new, fields=tuple(replace(field, number=0) for field in (*kept, *fields.values())))


def _used_by_removed(old: Schema, before: Record, after: Record) -> dict[str, Record]:
    """The records that fields in `before` but not in `after` use, nested ones first."""
    keys = {field.key for field in after.fields}
    found: dict[str, Record] = {}
    entered: set[str] = set()

    def add(kind: AnyType) -> None:
        if isinstance(kind, Ref):
            record = old.record(kind.name)
            if record.name not in entered:
                entered.add(record.name)
                for field in record.fields:
                    add(field.type)
                found[record.name] = record
        elif isinstance(kind, List):
            add(kind.items)
        elif isinstance(kind, Map):
            add(kind.values)
        elif isinstance(kind, Tuple | Union):
            for inner in kind.items if isinstance(kind, Tuple) else kind.alternatives:
                add(inner)

    for field in before.fields:
        if field.key not in keys:
            add(field.type)
    return found


def _changes(old: Schema, new: Schema) -> Iterator[str]:
    """The differences between two aligned schemas, one sentence for each field."""
    if show_type(old.root) != show_type(new.root):
        yield f"$: {show_type(old.root)} -> {show_type(new.root)}"
    before = {record.name: record for record in old.records}
    for record in reversed(new.records):
        if record.name not in before:
            yield f"record {record.name} added"
            continue
        fields = {field.key: field for field in before[record.name].fields}
        for field in record.fields:
            place = f"{record.name}.{field.key}"
            was = fields.pop(field.key, None)
            if was is None:
                yield f"{place} added: {_shown(field)}"
            elif _shown(was) != _shown(field):
                yield f"{place}: {_shown(was)} -> {_shown(field)}"
        for field in fields.values():
            yield f"{record.name}.{field.key} removed: {_shown(field)}"
    names = {record.name for record in new.records}
    for record in old.records:
        if record.name not in names:
            yield f"record {record.name} removed"


def _shown(field: Field) -> str:
    return show_type(field.type) + ("?" if field.optional else "")


def only_in(one: Schema, other: Schema) -> tuple[str, ...]:
    """The paths of fields that `one` has and `other` lacks, where both have the record around."""
    found: dict[str, None] = {}
    seen: set[tuple[str, str]] = set()

    def walk(kind: AnyType, against: AnyType, path: Path) -> None:
        if isinstance(kind, Ref) and isinstance(against, Ref):
            if (kind.name, against.name) in seen:
                return
            seen.add((kind.name, against.name))
            known = {field.key: field for field in other.record(against.name).fields}
            for field in one.record(kind.name).fields:
                if field.key in known:
                    walk(field.type, known[field.key].type, (*path, field.key))
                else:
                    found[show((*path, field.key))] = None
        elif isinstance(kind, List) and isinstance(against, List):
            walk(kind.items, against.items, (*path, Every.ITEM))
        elif isinstance(kind, Map) and isinstance(against, Map):
            walk(kind.values, against.values, (*path, Every.VALUE))
        elif isinstance(kind, Union) or isinstance(against, Union):
            others = {a.name: a for a in _alternatives(against) if isinstance(a, Ref)}
            for alternative in _alternatives(kind):
                if isinstance(alternative, Ref) and alternative.name in others:
                    walk(alternative, others[alternative.name], path)

    walk(one.root, other.root, ())
    return tuple(found)
