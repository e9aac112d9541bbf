"""Inference of the schema of a corpus, with ranges of integers.

A value's column (all values at one path, over all messages) decides its type:
- null next to another kind makes the type nullable; a missing key makes the field optional.
- ints and floats mixed are a float; any other mix is a union, one alternative for each kind.
- lists of one length whose items differ by position are a tuple: see `tuple_lengths`.
- objects of several kinds at the root have a record each: see `kinds` and `record_groups`.
- an object is a map instead of a record when its keys are data: see `is_map`.
- strings stay strings; if all of them are timestamps or base64, a note proposes that type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Field,
    Float,
    Int,
    List,
    Map,
    Ref,
    Schema,
    String,
    Timestamp,
    Tuple,
)
from wirelab.schema.columns import is_map, spread, tuple_lengths
from wirelab.schema.corpus import Corpus
from wirelab.schema.kinds import Kinds
from wirelab.schema.names import MAX_NAMES, field_name, folded, singular
from wirelab.schema.paths import Every, Part, excerpt, show
from wirelab.schema.record_groups import record_groups
from wirelab.schema.records import Records, with_null
from wirelab.schema.shapes import shape
from wirelab.schema.typed_text import ByteText
from wirelab.schema.types import show_type
from wirelab.schema.unions import union
from wirelab.schema.values import comes_back, is_base64, is_timestamp

MIN_BASE64 = 8
MOST_NAMES = 3
"""A record that more kinds share is named after the first of them."""


class Inference(Struct, frozen=True):
    """A schema, and notes for its editor by record name and JSON key ("" and "" for the root)."""

    schema: Schema
    notes: dict[tuple[str, str], str]


def infer(corpus: Corpus, kinds: Kinds | None = None) -> Schema:
    """The schema of a corpus. Raises BadInput if messages contradict each other."""
    return infer_with_notes(corpus, kinds).schema


def infer_with_notes(corpus: Corpus, kinds: Kinds | None = None) -> Inference:
    """The schema of a corpus, and notes for its editor.

    Messages of several `kinds` have a record for each, under a union, if all are objects. Raises
    BadInput.
    """
    builder = _Builder(corpus)
    if kinds is not None and set(map(type, corpus.messages)) == {dict}:
        root, remarks = builder.kinds(kinds)
    else:
        root, remarks = builder.column(corpus.messages, (), PurePath(corpus.name).stem or "message", "")
    if remarks:
        builder.notes["", ""] = remarks.text(root)
    return Inference(Schema(root, builder.records.all()), builder.notes)


class _Remarks(Struct):
    """The observations on a column: an alternative type of its innermost values, and notes."""

    choice: AnyType | None = None
    sentences: tuple[str, ...] = ()

    def text(self, kind: AnyType) -> str:
        choice = (f"or: {show_type(_with_leaf(kind, self.choice))}",) if self.choice else ()
        return "; ".join((*choice, *self.sentences))

    def __bool__(self) -> bool:
        return self.choice is not None or bool(self.sentences)


def _with_leaf(kind: AnyType, leaf: AnyType) -> AnyType:
    """The type with its innermost type replaced, null kept."""
    if isinstance(kind, List):
        return List(nullable=kind.nullable, items=_with_leaf(kind.items, leaf))
    if isinstance(kind, Map):
        return Map(nullable=kind.nullable, values=_with_leaf(kind.values, leaf))
    return with_null(leaf, kind.nullable)


class _Builder:
    """Infers types column by column. Records are in the order in which they were finished."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.records = Records()
        self.notes: dict[tuple[str, str], str] = {}

    def column(
        self, values: Sequence[Any], path: tuple[Part, ...], key: str, parent: str
    ) -> tuple[AnyType, _Remarks]:
        """The type of all values at one path. `key` and `parent` give a record its name."""
        types = set(map(type, values))
        nullable = type(None) in types
        types.discard(type(None))
        if nullable and types:
            values = [value for value in values if value is not None]
        kind, remarks = self.plain(values, types, path, key, parent)
        return with_null(kind, nullable), remarks

    def plain(
        self, values: Sequence[Any], types: set[type], path: tuple[Part, ...], key: str, parent: str
    ) -> tuple[AnyType, _Remarks]:
        if not types:
            return String(), _Remarks(sentences=("only null seen",))
        if types == {int, float}:
            return self.number(values, path), _Remarks(sentences=("ints and floats seen",))
        if len(types) > 1:
            return self.union(values, types, path, key, parent)
        seen = types.pop()
        if seen is dict or seen is list:
            nested = self.object if seen is dict else self.items
            return nested(values, path, key, parent)
        if issubclass(seen, str):
            return _text(seen, values)
        kind = self.integer(values, path) if seen is int else Float() if seen is float else Bool()
        return kind, _Remarks()

    def union(
        self, values: Sequence[Any], types: set[type], path: tuple[Part, ...], key: str, parent: str
    ) -> tuple[AnyType, _Remarks]:
        """One alternative for each JSON kind; ints and floats are one kind."""
        others = [one for one in dict.fromkeys(map(type, values)) if one not in (int, float)]
        groups = [{int, float} & types, *({one} for one in others)]
        alternatives = [
            self.plain([value for value in values if type(value) in group], group, path, key, parent)[0]
            for group in groups
            if group
        ]
        return union(alternatives), _Remarks(sentences=("several kinds seen",))

    def kinds(self, kinds: Kinds) -> tuple[AnyType, _Remarks]:
        """A record for each kind of object. Those whose keys are data are one map."""
        names = [kinds.names[index] for index in kinds.of]
        found: list[AnyType] = []
        maps: list[Any] = []
        shared: list[str] = []
        for group in record_groups(names, list(map(shape, self.corpus.messages))):
            own = [
                message
                for name, message in zip(names, self.corpus.messages, strict=True)
                if name in group.names
            ]
            columns = spread(own)
            if is_map(columns, len(own)):
                maps += own
                continue
            key = " ".join(group.names[:MOST_NAMES])
            record = self.record(columns, len(own), (), key, "")
            found.append(Ref(name=record))
            if len(group.names) > 1:
                shared.append(f"{', '.join(group.names)} share {record}: no key or type distinguishes them")
        found += [self.object(maps, (), "message", "")[0]] if maps else []
        return union(dict.fromkeys(found)), _Remarks(sentences=(f"kinds by {kinds.by}", *shared))

    def number(self, values: Sequence[float], path: tuple[Part, ...]) -> Float:
        inexact = next((value for value in values if float(value) != value), None)
        if inexact is not None:
            raise BadInput(
                f"{self.corpus.name}, at {show(path)}",
                f"integers and floats are mixed, and no 64-bit float is exactly {excerpt(inexact)}",
                "write such numbers as strings, or give a --schema that calls them float",
            )
        return Float()

    def integer(self, values: Sequence[int], path: tuple[Part, ...]) -> Int:
        low, high = min(values), max(values)
        if low < -(2**63) or high >= 2**64 or (low < 0 and high >= 2**63):
            raise BadInput(
                f"{self.corpus.name}, at {show(path)}",
                f"no 64-bit integer holds {excerpt(low)} to {excerpt(high)}",
                "write such numbers as strings, or give a --schema that calls them float",
            )
        return Int(low=low, high=high)

    def items(
        self, values: Sequence[Any], path: tuple[Part, ...], key: str, parent: str
    ) -> tuple[AnyType, _Remarks]:
        lengths = tuple_lengths(values)
        if lengths:
            tuples = [self.positions([v for v in values if len(v) == n], path, key, parent) for n in lengths]
            return union(tuples), _Remarks()
        items = [item for value in values for item in value]
        if not items:
            return List(items=String()), _Remarks(sentences=("no item seen",))
        kind, remarks = self.column(items, (*path, Every.ITEM), singular(key), parent)
        return List(items=kind), remarks

    def positions(
        self, values: Sequence[list[Any]], path: tuple[Part, ...], key: str, parent: str
    ) -> AnyType:
        """The tuple that lists of one length are; items are typed by position."""
        columns = zip(*values, strict=True)
        return Tuple(
            items=tuple(
                self.column(column, (*path, index), singular(key), parent)[0]
                for index, column in enumerate(columns)
            )
        )

    def object(
        self, values: Sequence[Any], path: tuple[Part, ...], key: str, parent: str
    ) -> tuple[AnyType, _Remarks]:
        columns = spread(values)
        if is_map(columns, len(values)):
            inner = [item for column in columns.values() for item in column]
            kind, remarks = self.column(inner, (*path, Every.VALUE), singular(key), parent)
            return Map(values=kind), remarks
        return Ref(name=self.record(columns, len(values), path, key, parent)), _Remarks()

    def record(
        self, columns: dict[str, list[Any]], count: int, path: tuple[Part, ...], key: str, parent: str
    ) -> str:
        taken: set[str] = set()
        fields: list[Field] = []
        notes: dict[str, str] = {}
        if len(columns) > MAX_NAMES or len(self.records.all()) > MAX_NAMES:
            raise self.too_many(path)
        own = self.records.reserve(key, parent)
        for field_key, column in columns.items():
            kind, remarks = self.column(column, (*path, field_key), field_key, own)
            name = field_name(field_key, taken)
            taken.add(folded(name))
            fields.append(Field(field_key, name, kind, optional=len(column) < count))
            if remarks:
                notes[field_key] = remarks.text(kind)
        name = self.records.keep(tuple(fields), own, key)
        self.notes |= {(name, field_key): text for field_key, text in notes.items()}
        return name

    def too_many(self, path: tuple[Part, ...]) -> BadInput:
        return BadInput(
            f"{self.corpus.name}, at {show(path)}",
            f"more than {MAX_NAMES:,} keys in one object, or kinds of objects",
            "if the keys are data, give a --schema that calls the object a map",
        )


def _text(seen: type[str], values: Iterable[str]) -> tuple[AnyType, _Remarks]:
    if seen is str:
        return String(), _string_remarks(values)
    return Base64() if seen is ByteText else Timestamp(), _Remarks()


def _string_remarks(values: Iterable[str]) -> _Remarks:
    """An alternative type for the strings of a column."""
    distinct = set(values)
    if all(map(is_timestamp, distinct)):
        exact = all(map(comes_back, distinct))
        return _Remarks(Timestamp(), () if exact else ("some would come back with other digits or offset",))
    long = min(map(len, distinct)) >= MIN_BASE64
    if long and all(map(is_base64, distinct)) and any(re.search(r"[=+/]", value) for value in distinct):
        return _Remarks(Base64())
    return _Remarks()
