"""What the messages use of a given schema, and the schema and messages that follow.

- A union of which they use one type is that type.
- Where it allows any value and they use one kind of scalar only, it is of that kind.
- Keys that the schema leaves open become fields, as far as messages have them.
- A time or base64 text that formats cannot carry as such makes its place a string.
- Whole floats where the schema has integers are integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wirelab.model import schema as model
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Decimal,
    Field,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    String,
    Timestamp,
    Tuple,
    Union,
    walk,
)
from wirelab.schema.importers.book import own_name
from wirelab.schema.names import folded
from wirelab.schema.paths import Every, Place, excerpt, kind_of, show
from wirelab.schema.recursion import ordered
from wirelab.schema.types import show_type
from wirelab.schema.unions import union
from wirelab.schema.values import is_base64, is_timestamp

_KINDS: dict[type[AnyType], frozenset[str]] = {
    Bool: frozenset(("bool",)),
    Int: frozenset(("int",)),
    Float: frozenset(("int", "float")),
    String: frozenset(("string",)),
    Timestamp: frozenset(("string",)),
    Base64: frozenset(("string",)),
    List: frozenset(("list",)),
    Tuple: frozenset(("list",)),
    Map: frozenset(("object",)),
    Ref: frozenset(("object",)),
    Decimal: frozenset(("int", "float")),
    model.Any: frozenset(("bool", "int", "float", "string", "list", "object")),
}
_SCALARS: dict[frozenset[str], AnyType] = {
    frozenset(("bool",)): Bool(),
    frozenset(("int",)): Int(low=-(2**63), high=2**63 - 1),
    frozenset(("float",)): Float(),
    frozenset(("int", "float")): Float(),
    frozenset(("string",)): String(),
}
"""The types of places of any value at which messages have values of one kind only."""
MAX_OPENED = 256
"""Keys that a record leaves open: more are data."""
_WHOLE = "whole floats are integers where the schema says so"


class Usage(Struct, frozen=True):
    """A schema, the messages in its types, and notes."""

    schema: Schema
    messages: tuple[Any, ...]
    notes: tuple[str, ...]


def used(
    schema: Schema, free: dict[str, AnyType], messages: Sequence[Any], notes: tuple[str, ...] = ()
) -> Usage:
    """What messages use of a schema. `free` has the type of the keys that records leave open.

    A message that contradicts the schema is kept as it is.
    """
    walk = _Walk(schema, free, notes)
    made = tuple(walk.value(schema.root, message, ()) for message in messages)
    found = walk.settled()
    return Usage(_reachable(found), made, tuple(walk.notes))


class _Walk:
    def __init__(self, schema: Schema, free: dict[str, AnyType], notes: tuple[str, ...]) -> None:
        self.root, self.free = schema.root, free
        self.fields = {
            record.name: {field.key: field for field in record.fields} for record in schema.records
        }
        self.notes = dict.fromkeys(notes)
        self.seen: dict[Place, set[str]] = {}
        self.opened_keys: dict[str, int] = {}
        self.plain: set[Place] = set()
        """Places of timestamps and base64 whose texts are strings."""

    def value(self, kind: AnyType, value: Any, place: Place) -> Any:
        """A value in a type, or as it is where it contradicts the type."""
        if isinstance(kind, Union):
            return self.alternative(kind, value, place)
        if isinstance(kind, model.Any):
            big = isinstance(value, int) and not -(2**63) <= value < 2**63
            self.seen.setdefault(place, set()).add("list" if big else kind_of(value))
            return value
        if isinstance(value, dict):
            self.object(kind, value, place)
        elif isinstance(value, list):
            self.list(kind, value, place)
        elif isinstance(value, str):
            self.text(kind, value, place)
        elif isinstance(value, float) and isinstance(kind, Int) and value.is_integer():
            self.notes[_WHOLE] = None
            return int(value)
        return value

    def alternative(self, kind: Union, value: Any, place: Place) -> Any:
        if value is None:
            return None
        seen = kind_of(value)
        self.seen.setdefault(place, set()).add(seen)
        fit = [(at, one) for at, one in enumerate(kind.alternatives) if seen in _KINDS[type(one)]]
        if seen == "float" and not fit and value.is_integer():
            fit = [(at, one) for at, one in enumerate(kind.alternatives) if isinstance(one, Int)]
        if len(fit) > 1:
            exact = [pair for pair in fit if self.fits(pair[1], value, is_open=False)]
            fit = exact or [pair for pair in fit if self.fits(pair[1], value, is_open=True)]
        return self.value(fit[0][1], value, (*place, fit[0][0])) if fit else value

    def object(self, kind: AnyType, value: dict[str, Any], place: Place) -> None:
        if isinstance(kind, Map):
            for key, one in value.items():
                value[key] = self.value(kind.values, one, (*place, Every.VALUE))
        if not isinstance(kind, Ref):
            return
        fields = self.fields[kind.name]
        for key, one in value.items():
            field = fields.get(key) or self.opened(kind.name, key)
            if field is not None:
                value[key] = self.value(field.type, one, (kind.name, key))

    def opened(self, record: str, key: str) -> Field | None:
        """The field for a key that a record leaves open."""
        self.opened_keys[record] = self.opened_keys.get(record, 0) + 1
        if record not in self.free or self.opened_keys[record] > MAX_OPENED:
            return None
        kind = self.free[record]
        fields = self.fields[record]
        name = own_name(key, {folded(field.name) for field in fields.values()})
        fields[key] = Field(key, name, kind, optional=True)
        self.notes[f"at {show((record, key))}: the schema leaves this key open; it is {show_type(kind)}?"] = (
            None
        )
        return fields[key]

    def list(self, kind: AnyType, value: list[Any], place: Place) -> None:
        if isinstance(kind, List):
            value[:] = [self.value(kind.items, one, (*place, Every.ITEM)) for one in value]
        elif isinstance(kind, Tuple) and len(kind.items) == len(value):
            value[:] = [self.value(kind.items[at], one, (*place, at)) for at, one in enumerate(value)]

    def text(self, kind: AnyType, value: str, place: Place) -> None:
        if place in self.plain:
            return
        if isinstance(kind, Timestamp) and not is_timestamp(value):
            why = "is not an RFC 3339 time within ns since 1970 in 64 bits"
        elif isinstance(kind, Base64) and not is_base64(value):
            why = "is not padded standard base64"
        else:
            return
        self.plain.add(place)
        self.notes[f"at {show(place)}: {excerpt(value)} {why}, so this is a string"] = None

    def fits(self, kind: AnyType, value: Any, is_open: bool) -> bool:
        """Whether a value has the form of a type; with `is_open` with keys that it leaves open."""
        if value is None:
            return kind.nullable
        if isinstance(kind, Union):
            return any(self.fits(one, value, is_open) for one in kind.alternatives)
        if isinstance(kind, Int) and isinstance(value, float):
            return value.is_integer()
        if kind_of(value) not in _KINDS[type(kind)] or (
            isinstance(kind, Tuple) and len(value) != len(kind.items)
        ):
            return False
        parts: Iterator[bool] = iter(())
        if isinstance(kind, Ref):
            return self.fits_record(kind.name, value, is_open)
        if isinstance(kind, Map):
            parts = (self.fits(kind.values, one, is_open) for one in value.values())
        elif isinstance(kind, List):
            parts = (self.fits(kind.items, one, is_open) for one in value)
        elif isinstance(kind, Tuple):
            pairs = zip(kind.items, value, strict=True)
            parts = (self.fits(one, item, is_open) for one, item in pairs)
        elif isinstance(kind, Timestamp | Base64):
            parts = iter((_is(kind, value),))
        return all(parts)

    def fits_record(self, name: str, value: dict[str, Any], is_open: bool) -> bool:
        fields = self.fields[name]
        if not all(field.optional or key in value for key, field in fields.items()):
            return False
        if not all(key in fields for key in value) and not (is_open and name in self.free):
            return False
        return all(self.fits(fields[key].type, one, is_open) for key, one in value.items() if key in fields)

    def settled(self) -> Schema:
        """The schema that follows from what was seen."""
        records = []
        for name, fields in self.fields.items():
            made = (replace(one, type=self.type(one.type, (name, key))) for key, one in fields.items())
            records.append(Record(name, tuple(made)))
        return Schema(self.type(self.root, ()), tuple(records))

    def type(self, kind: AnyType, place: Place) -> AnyType:
        if place in self.plain:
            return String(nullable=kind.nullable)
        if isinstance(kind, List):
            return replace(kind, items=self.type(kind.items, (*place, Every.ITEM)))
        if isinstance(kind, Map):
            return replace(kind, values=self.type(kind.values, (*place, Every.VALUE)))
        if isinstance(kind, Tuple):
            return replace(
                kind, items=tuple(self.type(one, (*place, at)) for at, one in enumerate(kind.items))
            )
        if isinstance(kind, model.Any):
            return self.scalar(place)
        return self.narrowed(kind, place) if isinstance(kind, Union) else kind

    def scalar(self, place: Place) -> AnyType:
        """Any value, or the only kind of scalar that messages have there."""
        seen = frozenset(self.seen.get(place, set()))
        found = _SCALARS.get(seen - {"null"})
        if found is None:
            return model.Any()
        self.notes[
            f"at {show(place)}: of any value the messages use {show_type(found)} only, so that is the type"
        ] = None
        return replace(found, nullable="null" in seen)

    def narrowed(self, kind: Union, place: Place) -> AnyType:
        """A union, or the only alternative that takes all kinds of values seen there."""
        kinds = dict.fromkeys(self.type(one, (*place, at)) for at, one in enumerate(kind.alternatives))
        whole = replace(union(kinds), nullable=kind.nullable)
        seen = self.seen.get(place, set())
        fit = [one for one in kinds if seen and seen <= _KINDS[type(one)]]
        if len(fit) != 1 or len(kinds) == 1:
            return whole
        self.notes[
            f"at {show(place)}: of {show_type(whole)} the messages use {show_type(fit[0])} only, so that is the type"
        ] = None
        return replace(fit[0], nullable=kind.nullable)


def _is(kind: AnyType, value: str) -> bool:
    return is_timestamp(value) if isinstance(kind, Timestamp) else is_base64(value)


def _reachable(schema: Schema) -> Schema:
    """A schema without the records that nothing uses."""

    by_name = {record.name: record for record in schema.records}
    needed: set[str] = set()
    open_ = [kind.name for kind in walk(schema.root) if isinstance(kind, Ref)]
    while open_:
        name = open_.pop()
        if name not in needed:
            needed.add(name)
            kinds = (kind for field in by_name[name].fields for kind in walk(field.type))
            open_ += [kind.name for kind in kinds if isinstance(kind, Ref)]
    return Schema(schema.root, ordered(tuple(record for record in schema.records if record.name in needed)))
