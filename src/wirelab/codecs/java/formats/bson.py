"""BSON through bson4jackson."""

from __future__ import annotations

from wirelab.codecs.java.declaration import KEYS, JavaFormat, jackson
from wirelab.codecs.positional_names import is_above_i64
from wirelab.model.schema import Int, Map, Ref, Schema
from wirelab.schema.lowering import lowered


def _unsupported(schema: Schema) -> str:
    if not isinstance(schema.root, Ref | Map) or schema.root.nullable:
        return "a BSON message is a document: the root must be a record or a map"
    unions = (record.fields for record in lowered(schema).records if record.shape == "union")
    if any(isinstance(field.type, Int) and is_above_i64(field.type) for fields in unions for field in fields):
        return "bson4jackson writes integers above 2^63-1 as text, which a union takes for text"
    return ""


FORMAT = JavaFormat(codecs=(jackson("bson", "bson4jackson", KEYS),), unsupported=_unsupported)
