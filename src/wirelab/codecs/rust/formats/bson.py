"""BSON through the official crate."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.model.schema import Schema
from wirelab.schema.lowering import is_object


def _is_object(schema: Schema) -> str:
    value = str(is_object(schema) and not schema.root.nullable).lower()
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
