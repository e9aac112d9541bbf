"""The losses of a format for a schema, by name and path.

JSON, CBOR and MessagePack encode keys and null, so they lose least.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from msgspec import Struct

from wirelab.model.schema import AnyType, Field, Float, Int, List, Map, Record, Schema
from wirelab.schema.emitters.common import camel
from wirelab.schema.paths import show
from wirelab.schema.places import places


def all_keys(record: Record) -> frozenset[str]:
    """The keys of a format that carries them, or whose schema names fields by any text."""
    return frozenset(field.key for field in record.fields)


def renamed_keys(record: Record) -> frozenset[str]:
    """The keys that an emitted schema keeps because they are names of its language."""
    return frozenset(field.key for field in record.fields if field.key in (field.name, camel(field.name)))


class Traits(Struct, frozen=True):
    """The traits of a format.

    `keys` are those of a record that it, or its emitted schema, keeps.
    """

    keys: Callable[[Record], frozenset[str]] = all_keys
    tells_null_from_absent: bool = True
    carries_uint64: bool = True
    carries_empty: bool = True


SELF_DESCRIBING = Traits()
# Formats made from the program's own types: names are those of the program.
NATIVE = Traits()
POSITIONAL = Traits(keys=renamed_keys, tells_null_from_absent=False)


def losses(schema: Schema, traits: Traits) -> tuple[str, ...]:
    """The named losses of a format with these traits for a schema, in the order of its fields.

    - `null against absent at PATH`: a field that may be both has one encoding for both.
    - `[] against absent at PATH`, `[] against null`, `{} against ...`: an empty list or map looks
      the same.
    - `integers above 2^63-1 at PATH`: they are encoded, but other readers see negative numbers.
    - `float digits beyond 32 bits at PATH`: the schema says float32.
    - `key name "KEY" at PATH`: the emitted schema renames the field and has the key in a comment.
    - `NaN and infinities at PATH`: the library writes null (`nonfinite_losses`).

    A record that is used several times is named at its first use.
    """
    return tuple(dict.fromkeys(_losses(schema, traits)))


def _losses(schema: Schema, traits: Traits) -> Iterator[str]:
    keys = {record.name: traits.keys(record) for record in schema.records}
    for place in places(schema):
        kind, at = place.kind, show(place.path)
        if place.record and place.field:
            yield from _of_field(place.field, at, traits, keys[place.record.name])
        if kind.nullable:
            yield from _of_empty(kind, "null", at, traits)
        if isinstance(kind, Int) and kind.high >= 2**63 and not traits.carries_uint64:
            yield f"integers above 2^63-1 at {at}"
        if isinstance(kind, Float) and kind.bits == 32:
            yield f"float digits beyond 32 bits at {at}"


def nonfinite_losses(schema: Schema) -> tuple[str, ...]:
    """The losses of a codec that writes null for NaN and infinities."""
    kinds = ((place.kind, show(place.path)) for place in places(schema))
    found = (at for kind, at in kinds if isinstance(kind, Float) and kind.nonfinite)
    return tuple(dict.fromkeys(f"NaN and infinities at {at}" for at in found))


def _of_field(field: Field, at: str, traits: Traits, keys: frozenset[str]) -> Iterator[str]:
    if field.optional and field.type.nullable and not traits.tells_null_from_absent:
        yield f"null against absent at {at}"
    if field.optional:
        yield from _of_empty(field.type, "absent", at, traits)
    if field.key not in keys:
        yield f"key name {json.dumps(field.key)} at {at}"


def _of_empty(kind: AnyType, against: str, at: str, traits: Traits) -> Iterator[str]:
    if not traits.carries_empty and isinstance(kind, List | Map):
        yield f"{'[]' if isinstance(kind, List) else '{}'} against {against} at {at}"
