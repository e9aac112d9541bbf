"""Inference of the schema of a corpus, with ranges of integers.

A value's column (all values at one path, over all messages) decides its type:
- null next to another kind makes the type nullable; a missing key makes the field optional.
- ints and floats mixed are a float; any other mix is a union, one alternative for each kind.
- lists of one length whose items differ by position are a tuple: see `Column.tuples`.
- objects of several kinds at the root have a record each: see `kinds` and `record_groups`.
- an object is a map instead of a record when its keys are data: see `are_map`.
- strings stay strings; if all of them are timestamps or base64, a note proposes that type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Any

from msgspec import Struct

from wirelab.model import schema as model
from wirelab.model.errors import BadInput
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
    Ref,
    Schema,
    String,
    Timestamp,
    Tuple,
)
from wirelab.schema.columns import are_map
from wirelab.schema.corpus import Corpus
from wirelab.schema.kinds import Kinds
from wirelab.schema.line_messages import LineMessages, types_of
from wirelab.schema.names import MAX_NAMES, field_name, folded, singular
from wirelab.schema.nesting import with_recursion
from wirelab.schema.paths import Every, Part, excerpt, show
from wirelab.schema.record_groups import record_groups
from wirelab.schema.records import Records, with_null
from wirelab.schema.shapes import shapes_of
from wirelab.schema.typed_text import ByteText
from wirelab.schema.types import show_type
from wirelab.schema.unions import union
from wirelab.schema.value_column import Column, Texts

ROUNDED_MAX = 18446744073709552000
"""2^64-1 as JavaScript and others write it, whose numbers are 64-bit floats."""
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
    if kinds is not None and types_of(corpus.messages) == {dict}:
        root, remarks = builder.kinds(kinds)
    else:
        whole = Column()
        for batch in batches(corpus.messages):
            whole.add(batch)
        root, remarks = builder.column(whole, (), PurePath(corpus.name).stem or "message", "")
    if remarks:
        builder.notes["", ""] = remarks.text(root)
    return Inference(*with_recursion(Schema(root, builder.records.all()), builder.notes))


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
        self, values: Column, path: tuple[Part, ...], key: str, parent: str
    ) -> tuple[AnyType, _Remarks]:
        """The type of all values at one path. `key` and `parent` give a record its name."""
        types = dict.fromkeys(one for one in values.types if one is not type(None))
        kind, remarks = self.plain(values, types, path, key, parent)
        return with_null(kind, type(None) in values.types), remarks

    def plain(  # noqa: PLR0911  (one return per kind reads best)
        self, values: Column, types: dict[type, None], path: tuple[Part, ...], key: str, parent: str
    ) -> tuple[AnyType, _Remarks]:
        """The type of those of the values that have one of these types."""
        if not types:
            return String(), _Remarks(sentences=("only null seen",))
        if set(types) == {int, float}:
            return self.number(values, path)
        if len(types) > 1:
            return self.union(values, types, path, key, parent)
        (seen,) = types
        if seen is dict or seen is list:
            nested = self.object if seen is dict else self.items
            return nested(values, path, key, parent)
        if issubclass(seen, str):
            return _text(seen, values.texts)
        if seen is int:
            return self.integer(values, path)
        return self.number(values, path) if seen is float else (Bool(), _Remarks())

    def union(
        self, values: Column, types: dict[type, None], path: tuple[Part, ...], key: str, parent: str
    ) -> tuple[AnyType, _Remarks]:
        """One alternative for each JSON kind; ints and floats are one kind."""
        numbers: dict[type, None] = {one: None for one in types if one in (int, float)}
        groups: list[dict[type, None]] = [numbers, *({one: None} for one in types if one not in numbers)]
        alternatives = [self.plain(values, group, path, key, parent)[0] for group in groups if group]
        if any(isinstance(kind, Decimal) for kind in alternatives):
            return model.Any(), _Remarks(sentences=("several kinds seen, and numbers beyond 64 bits",))
        return union(alternatives), _Remarks(sentences=("several kinds seen",))

    def kinds(self, kinds: Kinds) -> tuple[AnyType, _Remarks]:
        """A record for each kind of object. Those whose keys are data are one map."""
        names = [kinds.names[index] for index in kinds.of]
        found: list[AnyType] = []
        maps = Column()
        shared: list[str] = []
        groups = record_groups(names, shapes_of(self.corpus.messages))
        columns = self.by_group(names, {name: at for at, group in enumerate(groups) for name in group.names})
        for group, own in zip(groups, columns, strict=True):
            if _is_map(own):
                maps.merge(own)
                continue
            key = " ".join(group.names[:MOST_NAMES])
            record = self.record(own, (), key, "")
            found.append(Ref(name=record))
            if len(group.names) > 1:
                shared.append(f"{', '.join(group.names)} share {record}: no key or type distinguishes them")
        found += [self.object(maps, (), "message", "")[0]] if maps.objects else []
        return union(dict.fromkeys(found)), _Remarks(sentences=(f"kinds by {kinds.by}", *shared))

    def by_group(self, names: Sequence[str], places: dict[str, int]) -> list[Column]:
        """A column of the messages of each group of kinds."""
        columns = [Column() for _ in set(places.values())]
        rest = iter(names)
        for batch in batches(self.corpus.messages):
            own: list[list[Any]] = [[] for _ in columns]
            for message, name in zip(batch, islice(rest, len(batch)), strict=True):
                own[places[name]].append(message)
            for column, messages in zip(columns, own, strict=True):
                column.add(messages)
        return columns

    def number(self, values: Column, path: tuple[Part, ...]) -> tuple[AnyType, _Remarks]:
        self.check_rounded(values, path)
        if values.inexact is not None and not values.nonfinite:
            return Decimal(), _Remarks(sentences=(f"no float is {excerpt(values.inexact)}",))
        seen = ("ints and floats seen",) if int in values.types else ()
        nonfinite = ("NaN or infinities seen",) if values.nonfinite else ()
        return Float(nonfinite=values.nonfinite), _Remarks(sentences=(*seen, *nonfinite))

    def integer(self, values: Column, path: tuple[Part, ...]) -> tuple[AnyType, _Remarks]:
        self.check_rounded(values, path)
        low, high = values.low, values.high
        if low < -(2**63) or high >= 2**64 or (low < 0 and high >= 2**63):
            return Decimal(), _Remarks(
                sentences=(f"no 64-bit integer holds {excerpt(low)} to {excerpt(high)}",)
            )
        return Int(low=low, high=high), _Remarks()

    def check_rounded(self, values: Column, path: tuple[Part, ...]) -> None:
        """Refuse what a writer that knows floats only makes of 2^64-1."""
        if values.high == ROUNDED_MAX:
            raise BadInput(
                f"{self.corpus.name}, at {show(path)}",
                f"{ROUNDED_MAX} is above 2^64-1: a 64-bit float's rounding of it",
                "write 18446744073709551615, or give a --schema that calls the numbers float or decimal",
            )

    def items(
        self, values: Column, path: tuple[Part, ...], key: str, parent: str
    ) -> tuple[AnyType, _Remarks]:
        tuples = values.tuples()
        if tuples:
            return union(self.positions(columns, path, key, parent) for columns in tuples), _Remarks()
        if values.items is None or not values.items.count:
            return List(items=String()), _Remarks(sentences=("no item seen",))
        kind, remarks = self.column(values.items, (*path, Every.ITEM), singular(key), parent)
        return List(items=kind), remarks

    def positions(self, columns: Sequence[Column], path: tuple[Part, ...], key: str, parent: str) -> AnyType:
        """The tuple that lists of one length are; items are typed by position."""
        return Tuple(
            items=tuple(
                self.column(column, (*path, index), singular(key), parent)[0]
                for index, column in enumerate(columns)
            )
        )

    def object(
        self, values: Column, path: tuple[Part, ...], key: str, parent: str
    ) -> tuple[AnyType, _Remarks]:
        if _is_map(values):
            inner = Column()
            for column in values.fields.values():
                inner.merge(column)
            kind, remarks = self.column(inner, (*path, Every.VALUE), singular(key), parent)
            return Map(values=kind), remarks
        return Ref(name=self.record(values, path, key, parent)), _Remarks()

    def record(self, values: Column, path: tuple[Part, ...], key: str, parent: str) -> str:
        taken: set[str] = set()
        fields: list[Field] = []
        notes: dict[str, str] = {}
        if len(values.fields) > MAX_NAMES or len(self.records.all()) > MAX_NAMES:
            raise self.too_many(path)
        own = self.records.reserve(key, parent)
        for field_key, column in values.fields.items():
            kind, remarks = self.column(column, (*path, field_key), field_key, own)
            name = field_name(field_key, taken)
            taken.add(folded(name))
            fields.append(Field(field_key, name, kind, optional=column.count < values.objects))
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


def _is_map(values: Column) -> bool:
    counts = {key: column.count for key, column in values.fields.items()}
    types = {one for column in values.fields.values() for one in column.types}
    return are_map(counts, types, values.objects)


def _text(seen: type[str], texts: Texts | None) -> tuple[AnyType, _Remarks]:
    """The type of strings, and an alternative one."""
    if seen is not str or texts is None:
        return Base64() if seen is ByteText else Timestamp(), _Remarks()
    if texts.timestamps:
        sentences = () if texts.come_back else ("some would come back with other digits or offset",)
        return String(), _Remarks(Timestamp(), sentences)
    return String(), _Remarks(Base64()) if texts.base64 and texts.special else _Remarks()


def batches(messages: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """The messages in parts that memory holds, if they are parsed when asked for."""
    return messages.batches() if isinstance(messages, LineMessages) else iter((messages,))
