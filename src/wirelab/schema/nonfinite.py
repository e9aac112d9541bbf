"""Floats of a given schema that are NaN or an infinity in messages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from wirelab.model.schema import AnyType, Float, List, Map, Ref, Schema, Tuple, Union
from wirelab.schema.line_messages import LineMessages
from wirelab.schema.paths import Every, Place, floats, show


def with_nonfinite(schema: Schema, messages: Sequence[Any]) -> tuple[Schema, tuple[str, ...]]:
    """The schema in which floats that messages have as NaN or an infinity may be so, and notes."""
    if isinstance(messages, LineMessages):  # these are JSON, which has no such number
        return schema, ()
    found = dict.fromkeys(
        path for message in messages for path, value in floats(message) if not math.isfinite(value)
    )
    if not found:
        return schema, ()
    seen: set[Place] = set()
    for message in messages:
        _see(schema, schema.root, message, (), seen)
    records = tuple(
        replace(
            record,
            fields=tuple(replace(f, type=_marked(f.type, (record.name, f.key), seen)) for f in record.fields),
        )
        for record in schema.records
    )
    notes = tuple(f"at {show(place)}: NaN or infinities in messages" for place in found)
    return Schema(_marked(schema.root, (), seen), records), notes


def _see(schema: Schema, kind: AnyType, value: Any, place: Place, seen: set[Place]) -> None:
    """Note the places of the floats in a type at which a value is NaN or an infinity."""
    if isinstance(kind, Float) and isinstance(value, float) and not math.isfinite(value):
        seen.add(place)
    for inner, item, at in _inside(schema, kind, value, place):
        _see(schema, inner, item, at, seen)


def _inside(schema: Schema, kind: AnyType, value: Any, place: Place) -> Iterator[tuple[AnyType, Any, Place]]:
    """The types inside a type with the values that they have and their places."""
    if isinstance(kind, Union):
        yield from ((one, value, (*place, at)) for at, one in enumerate(kind.alternatives))
    elif isinstance(value, dict) and isinstance(kind, Ref):
        fields = schema.record(kind.name).fields
        yield from ((f.type, value[f.key], (kind.name, f.key)) for f in fields if f.key in value)
    elif isinstance(value, dict) and isinstance(kind, Map):
        yield from ((kind.values, item, (*place, Every.VALUE)) for item in value.values())
    elif isinstance(value, list) and isinstance(kind, List):
        yield from ((kind.items, item, (*place, Every.ITEM)) for item in value)
    elif isinstance(value, list) and isinstance(kind, Tuple):
        pairs = zip(kind.items, value, strict=False)
        yield from ((one, item, (*place, at)) for at, (one, item) in enumerate(pairs))


def _marked(kind: AnyType, place: Place, seen: set[Place]) -> AnyType:
    if isinstance(kind, Float):
        return replace(kind, nonfinite=kind.nonfinite or place in seen)
    if isinstance(kind, List):
        return replace(kind, items=_marked(kind.items, (*place, Every.ITEM), seen))
    if isinstance(kind, Map):
        return replace(kind, values=_marked(kind.values, (*place, Every.VALUE), seen))
    if isinstance(kind, Tuple):
        return replace(
            kind, items=tuple(_marked(one, (*place, at), seen) for at, one in enumerate(kind.items))
        )
    if isinstance(kind, Union):
        return replace(
            kind,
            alternatives=tuple(_marked(one, (*place, at), seen) for at, one in enumerate(kind.alternatives)),
        )
    return kind
