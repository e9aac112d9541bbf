"""What a format cannot carry of a schema, by name and path. JSON, CBOR and MessagePack carry keys and null, so lose least."""

from __future__ import annotations

import json
from collections.abc import Iterator

from wirelab.model.errors import BadInput
from wirelab.model.schema import AnyType, Field, Float, Int, List, Map, Record, Ref, Schema
from wirelab.schema.emitters.common import camel
from wirelab.schema.emitters.protobuf import kept_keys
from wirelab.schema.paths import Every, Part, show

_SELF_DESCRIBING = ("json", "cbor", "msgpack", "bson", "smile", "yaml", "flexbuffers", "ion", "xml")
# Made from the program's own types: absence and null stay two things, and names are those of the program.
_NATIVE = ("postcard", "bitcode", "rkyv")
FORMATS = (*_SELF_DESCRIBING, *_NATIVE, "protobuf", "flatbuffers", "avro", "capnp", "thrift", "xdr", "uper")
_SIGNED_ONLY = ("avro", "thrift", "bson")

Path = tuple[Part, ...]


def losses(schema: Schema, format_name: str) -> tuple[str, ...]:
    """The named losses of a format (one of `FORMATS`) for a schema, in the order of its fields.

    - `null against absent at PATH`: a field that may be both has one way to be neither.
    - `[] against absent at PATH`, `[] against null`, `{} against ...`: an empty list or map looks the same.
    - `integers above 2^63-1 at PATH`: they are carried, but other readers see them as negative.
    - `float digits beyond 32 bits at PATH`: the schema says float32.
    - `key name "KEY" at PATH`: the emitted schema names the field otherwise and keeps the key as a comment only.

    A record that is used in several places is named at the first. Raises BadInput for an unknown format.
    """
    if format_name not in FORMATS:
        raise BadInput(f"format '{format_name}'", "not known", f"choose one of {', '.join(FORMATS)}")
    return tuple(dict.fromkeys(_Walk(schema, format_name).root()))


class _Walk:
    def __init__(self, schema: Schema, format_name: str) -> None:
        self.schema, self.format = schema, format_name
        self.seen: set[str] = set()

    def root(self) -> Iterator[str]:
        yield from self.type(self.schema.root, ())

    def type(self, kind: AnyType, path: Path) -> Iterator[str]:
        if kind.nullable:
            yield from self.empty(kind, "null", path)
        if isinstance(kind, Int) and kind.high >= 2**63 and self.format in _SIGNED_ONLY:
            yield f"integers above 2^63-1 at {show(path)}"
        if isinstance(kind, Float) and kind.bits == 32:
            yield f"float digits beyond 32 bits at {show(path)}"
        if isinstance(kind, List):
            yield from self.type(kind.items, (*path, Every.ITEM))
        if isinstance(kind, Map):
            yield from self.type(kind.values, (*path, Every.VALUE))
        if isinstance(kind, Ref) and kind.name not in self.seen:
            self.seen.add(kind.name)
            record = self.schema.record(kind.name)
            keys = self.keys(record)
            for field in record.fields:
                yield from self.field(field, (*path, field.key), keys)

    def field(self, field: Field, path: Path, keys: frozenset[str]) -> Iterator[str]:
        if field.optional and field.type.nullable and self.format not in (*_SELF_DESCRIBING, *_NATIVE):
            yield f"null against absent at {show(path)}"
        if field.optional:
            yield from self.empty(field.type, "absent", path)
        if field.key not in keys:
            yield f"key name {json.dumps(field.key)} at {show(path)}"
        yield from self.type(field.type, path)

    def empty(self, kind: AnyType, against: str, path: Path) -> Iterator[str]:
        if self.format == "protobuf" and isinstance(kind, List | Map):
            yield f"{'[]' if isinstance(kind, List) else '{}'} against {against} at {show(path)}"

    def keys(self, record: Record) -> frozenset[str]:
        """The keys that the format, or its emitted schema, keeps."""
        if self.format == "protobuf":
            return kept_keys(record)
        all_kept = self.format in (*_SELF_DESCRIBING, *_NATIVE, "avro")
        return frozenset(f.key for f in record.fields if all_kept or f.key in (f.name, camel(f.name)))
