"""The records found so far, their names, and the merging of equal ones."""

from __future__ import annotations

import msgspec

from wirelab.model.schema import AnyType, Field, Float, Int, List, Map, Record, Tuple, Union
from wirelab.schema.names import folded, record_name


class Records:
    """Records in the order in which they were finished: each precedes those that use it."""

    def __init__(self) -> None:
        self._found: dict[str, Record] = {}
        self._taken: set[str] = set()
        self._by_wish: dict[str, list[str]] = {}

    def all(self) -> tuple[Record, ...]:
        """Every record, nested ones first."""
        return tuple(self._found.values())

    def reserve(self, key: str, parent: str) -> str:
        """A free name for the record at a key, assigned before those of nested records."""
        wish = record_name(key, ())
        name = wish if folded(wish) not in self._taken else record_name(f"{parent} {key}", self._taken)
        self._taken.add(folded(name))
        return name

    def keep(self, fields: tuple[Field, ...], reserved: str, key: str) -> str:
        """The name of a record with these fields: an earlier one under an equal key, or the one
        reserved.
        """
        names = self._by_wish.setdefault(record_name(key, ()), [])
        for name in names:
            joined = merged(self._found[name].fields, fields)
            if joined is not None:
                self._found[name] = Record(name, joined)
                self._taken.discard(folded(reserved))
                return name
        self._found[reserved] = Record(reserved, fields)
        names.append(reserved)
        return reserved


def merged(ours: tuple[Field, ...], theirs: tuple[Field, ...]) -> tuple[Field, ...] | None:
    """Two lists of fields as one, ranges widened, where keys and types agree; else None."""
    if [field.key for field in ours] != [field.key for field in theirs]:
        return None
    fields = []
    for one, other in zip(ours, theirs, strict=True):
        kind = widened(one.type, other.type)
        if kind is None:
            return None
        fields.append(Field(one.key, one.name, kind, one.optional or other.optional))
    return tuple(fields)


def with_null(kind: AnyType, nullable: bool) -> AnyType:
    """The type with or without null among its values; `any` has null always."""
    return msgspec.structs.replace(kind, nullable=nullable) if kind.nullable != nullable else kind


def widened(one: AnyType, other: AnyType) -> AnyType | None:  # noqa: PLR0911  (one per type)
    """The type that takes the values of both, where they differ at most in ranges and null."""
    nullable = one.nullable or other.nullable
    if isinstance(one, Int) and isinstance(other, Int):
        low, high = min(one.low, other.low), max(one.high, other.high)
        fits = low >= 0 or high < 2**63
        return Int(nullable=nullable, low=low, high=high) if fits else None
    if isinstance(one, Float) and isinstance(other, Float) and one.bits == other.bits:
        return Float(nullable=nullable, bits=one.bits, nonfinite=one.nonfinite or other.nonfinite)
    if isinstance(one, List) and isinstance(other, List):
        items = widened(one.items, other.items)
        return items and List(nullable=nullable, items=items)
    if isinstance(one, Map) and isinstance(other, Map):
        values = widened(one.values, other.values)
        return values and Map(nullable=nullable, values=values)
    if isinstance(one, Tuple) and isinstance(other, Tuple):
        pairs = _all_widened(one.items, other.items)
        return Tuple(nullable=nullable, items=pairs) if pairs else None
    if isinstance(one, Union) and isinstance(other, Union):
        alternatives = _all_widened(one.alternatives, other.alternatives)
        return Union(nullable=nullable, alternatives=alternatives) if alternatives else None
    return with_null(one, nullable) if with_null(one, False) == with_null(other, False) else None


def _all_widened(ours: tuple[AnyType, ...], theirs: tuple[AnyType, ...]) -> tuple[AnyType, ...] | None:
    """Types pair by pair; None where their number differs or a pair does not agree."""
    if len(ours) != len(theirs):
        return None
    found = tuple(kind for pair in zip(ours, theirs, strict=True) if (kind := widened(*pair)) is not None)
    return found if len(found) == len(ours) else None
