"""BSON through the official crate."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.model.schema import Map, Ref, Schema


def _is_object(schema: Schema) -> str:
    is_object = isinstance(schema.root, Map | Ref) and not schema.root.nullable
    value = str(is_object).lower()
    return f"/// Whether every message is a record or a map.\npub const IS_OBJECT: bool = {value};\n"


MODULE = PackModule(
    codecs=(
        RustCodec(
            "bson",
            "bson",
            "bson",
            "SerdeCodec<bson::Bson>",
            BOUND,
            {"buffer": "reused", "strings": "copied", "records": "documents"},
        ),
    ),
    additions=_is_object,
)
