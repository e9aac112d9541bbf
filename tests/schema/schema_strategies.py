"""Schemas, and messages that fit them, drawn by hypothesis."""

from __future__ import annotations

import typing
from typing import Literal

from hypothesis import strategies as st
from msgspec.structs import replace

from wirelab.model.schema import (
    Any,
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
from wirelab.schema.names import field_name, folded, is_field, is_record
from wirelab.schema.recursion import endings, ordered, recursive
from wirelab.schema.unions import BadUnion, union

CODINGS: tuple[Literal["", "varint", "fixed"], ...] = ("", "varint", "fixed")
NUMBERS = st.integers(1, 18_999) | st.integers(20_000, 2**29 - 1)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@st.composite
def integers(draw: st.DrawFn) -> Int:
    edges = st.sampled_from([0, 1, -1, 2**31, 2**32, -(2**31), 2**63 - 1, -(2**63)])
    low, high = sorted(draw(st.tuples(edges | st.integers(-(2**63), 2**63 - 1), edges)))
    if low >= 0 and draw(st.booleans()):
        high = draw(st.integers(max(low, 2**63), 2**64 - 1))
    coding = draw(st.sampled_from(CODINGS))
    return Int(nullable=draw(st.booleans()), low=low, high=high, coding=coding)


def types(records: list[str]) -> st.SearchStrategy[AnyType]:
    nullable = st.booleans()
    plain = [st.builds(kind, nullable=nullable) for kind in (Bool, Decimal, String, Timestamp, Base64)]
    floats = st.builds(Float, nullable=nullable, bits=st.sampled_from([32, 64]), nonfinite=st.booleans())
    leaves = st.one_of(*plain, st.builds(Any, coding=st.sampled_from(["", "value"])), floats, integers())
    if records:
        leaves |= st.builds(Ref, nullable=nullable, name=st.sampled_from(records))
    return st.recursive(
        leaves,
        lambda inner: (
            st.builds(List, nullable=nullable, items=inner)
            | st.builds(Map, nullable=nullable, values=inner)
            | st.builds(Tuple, nullable=nullable, items=st.lists(inner, min_size=1, max_size=3).map(tuple))
            | unions(inner)
        ),
        max_leaves=4,
    )


@st.composite
def unions(draw: st.DrawFn, inner: st.SearchStrategy[AnyType]) -> AnyType:
    """A union of types that a reader can tell apart, in Avro too; or the only type left."""
    distinct: list[AnyType] = []
    for kind in draw(st.lists(inner, min_size=2, max_size=4)):
        plain = kind.alternatives if isinstance(kind, Union) else (kind,)
        for one in plain:
            try:
                union([*distinct, one])
            except BadUnion:
                continue
            if {Int, Timestamp} <= {type(other) for other in (*distinct, one)}:
                continue
            distinct.append(replace(one, nullable=False))
    return replace(union(distinct), nullable=draw(st.booleans()))


@st.composite
def records(draw: st.DrawFn, name: str, earlier: list[str]) -> Record:
    taken: set[str] = set()
    fields = []
    for key in draw(st.lists(KEYS, max_size=5, unique=True)):
        own = draw(st.from_regex(r"[a-z][a-z0-9]{0,6}(_[a-z0-9]{1,4})?", fullmatch=True).filter(is_field))
        field = own if draw(st.booleans()) and folded(own) not in taken else field_name(key, taken)
        taken.add(folded(field))
        fields.append(Field(key, field, draw(types(earlier)), draw(st.booleans())))
    if draw(st.booleans()):
        numbers = draw(st.lists(NUMBERS, min_size=len(fields), max_size=len(fields), unique=True))
        fields = [replace(one, number=number) for one, number in zip(fields, numbers, strict=True)]
    return Record(name, tuple(fields))


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    name = st.from_regex(r"[A-Z][a-z0-9]{0,8}", fullmatch=True).filter(is_record)
    names = draw(st.lists(name, max_size=4, unique_by=folded))
    found: list[Record] = []
    for index, name in enumerate(names):
        found.append(draw(records(name, names[:index])))
    return Schema(draw(types(names)), tuple(found))


EIGHTHS = st.integers(-8000, 8000).map(lambda eighths: eighths / 8)
FREE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | EIGHTHS | st.text("abcé", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text("xyz", max_size=2), inner, max_size=2)
    ),
    max_leaves=3,
)
"""Values of any type."""
LEVELS = 3
"""Levels of recursive records in a value."""


def values(kind: AnyType, schema: Schema, levels: int = LEVELS) -> st.SearchStrategy[typing.Any]:
    """Values of a type; lists and maps stay short. Below `levels` recursive records values end."""
    if kind.nullable and levels < 0 and holds_record(kind):
        return st.none()
    inner = _plain_values(kind, schema, levels)
    return st.none() | inner if kind.nullable else inner


def holds_record(kind: AnyType) -> bool:
    return any(isinstance(one, Ref) for one in walk(kind))


def _plain_values(kind: AnyType, schema: Schema, levels: int) -> st.SearchStrategy[typing.Any]:  # noqa: PLR0911
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    ends = levels < 0 and holds_record(kind)
    if isinstance(kind, Int):
        return st.integers(kind.low, kind.high)
    if isinstance(kind, List):
        return st.just([]) if ends else st.lists(values(kind.items, schema, levels), max_size=2)
    if isinstance(kind, Map):
        return st.just({}) if ends else st.dictionaries(text, values(kind.values, schema, levels), max_size=2)
    if isinstance(kind, Tuple):
        return st.tuples(*(values(item, schema, levels) for item in kind.items)).map(list)
    if isinstance(kind, Union):
        ending = [one for one in kind.alternatives if not (ends and holds_record(one))]
        return st.one_of([values(one, schema, levels) for one in ending or kind.alternatives])
    if isinstance(kind, Ref):
        return _record_values(kind.name, schema, levels - (kind.name in recursive(schema.records)))
    if isinstance(kind, Float) and kind.nonfinite:
        return EIGHTHS | st.sampled_from(["NaN", "Infinity", "-Infinity"])
    leaves: dict[type, st.SearchStrategy[typing.Any]] = {
        Any: FREE,
        Bool: st.booleans(),
        Decimal: EIGHTHS | st.integers(-(2**80), 2**80),
        Float: EIGHTHS,
        String: text,
        Timestamp: st.just("2024-02-29T23:59:59.123Z"),
        Base64: st.sampled_from(["", "AA==", "Zm9vYmFy"]),
    }
    return leaves[type(kind)]


def _record_values(name: str, schema: Schema, levels: int) -> st.SearchStrategy[typing.Any]:
    fields = [(one, levels < 0 and holds_record(one.type)) for one in schema.record(name).fields]
    return st.fixed_dictionaries(
        {one.key: values(one.type, schema, levels) for one, _ in fields if not one.optional},
        optional={
            one.key: values(one.type, schema, levels) for one, ends in fields if one.optional and not ends
        },
    )


@st.composite
def recursive_schemas(draw: st.DrawFn) -> Schema:
    """Schemas whose records name one another and themselves; all of their values end."""
    name = st.from_regex(r"[A-Z][a-z0-9]{0,8}", fullmatch=True).filter(is_record)
    names = draw(st.lists(name, min_size=1, max_size=4, unique_by=folded))
    found = [draw(records(name, names)) for name in names]
    ending = endings(found)
    kept = [
        one
        if one.name in ending
        else replace(one, fields=tuple(replace(f, optional=True) for f in one.fields))
        for one in found
    ]
    return Schema(draw(types(names)), ordered(kept))
