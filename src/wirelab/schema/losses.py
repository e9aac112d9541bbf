"""The losses of a format for a schema, by name and path.

JSON, CBOR and MessagePack encode keys and null, so they lose least.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from msgspec import Struct

from wirelab.model.schema import AnyType, Field, Float, Int, List, Map, Record, Ref, Schema, Tuple, Union
from wirelab.schema.emitters.common import camel
from wirelab.schema.paths import Every, Part, show


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

Path = tuple[Part, ...]


def losses(schema: Schema, traits: Traits) -> tuple[str, ...]:
    """The named losses of a format with these traits for a schema, in the order of its fields.

    - `null against absent at PATH`: a field that may be both has one encoding for both.
    - `[] against absent at PATH`, `[] against null`, `{} against ...`: an empty list or map looks
      the same.
    - `integers above 2^63-1 at PATH`: they are encoded, but other readers see negative numbers.
    - `float digits beyond 32 bits at PATH`: the schema says float32.
    - `key name "KEY" at PATH`: the emitted schema renames the field and has the key in a comment.

    A record that is used several times is named at its first use.
    """
    return tuple(dict.fromkeys(_Walk(schema, traits).root()))


class _Walk:
    def __init__(self, schema: Schema, traits: Traits) -> None:
        self.schema, self.traits = schema, traits
        self.seen: set[str] = set()

    def root(self) -> Iterator[str]:
        yield from self.type(self.schema.root, ())

    def type(self, kind: AnyType, path: Path) -> Iterator[str]:
        if kind.nullable:
            yield from self.empty(kind, "null", path)
        if isinstance(kind, Int) and kind.high >= 2**63 and not self.traits.carries_uint64:
            yield f"integers above 2^63-1 at {show(path)}"
        if isinstance(kind, Float) and kind.bits == 32:
            yield f"float digits beyond 32 bits at {show(path)}"
        if isinstance(kind, List):
            yield from self.type(kind.items, (*path, Every.ITEM))
        if isinstance(kind, Map):
            yield from self.type(kind.values, (*path, Every.VALUE))
        if isinstance(kind, Tuple):
            for index, item in enumerate(kind.items):
                yield from self.type(item, (*path, index))
        if isinstance(kind, Union):
            for alternative in kind.alternatives:
                yield from self.type(alternative, path)
        if isinstance(kind, Ref) and kind.name not in self.seen:
            self.seen.add(kind.name)
            record = self.schema.record(kind.name)
            keys = self.traits.keys(record)
            for field in record.fields:
                yield from self.field(field, (*path, field.key), keys)

    def field(self, field: Field, path: Path, keys: frozenset[str]) -> Iterator[str]:
        if field.optional and field.type.nullable and not self.traits.tells_null_from_absent:
            yield f"null against absent at {show(path)}"
        if field.optional:
            yield from self.empty(field.type, "absent", path)
        if field.key not in keys:
            yield f"key name {json.dumps(field.key)} at {show(path)}"
        yield from self.type(field.type, path)

    def empty(self, kind: AnyType, against: str, path: Path) -> Iterator[str]:
        if not self.traits.carries_empty and isinstance(kind, List | Map):
            yield f"{'[]' if isinstance(kind, List) else '{}'} against {against} at {show(path)}"
