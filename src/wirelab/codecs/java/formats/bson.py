"""BSON through bson4jackson."""

from __future__ import annotations

from wirelab.codecs.java.declaration import KEYS, JavaFormat, jackson
from wirelab.model.schema import Map, Ref, Schema


def _unsupported(schema: Schema) -> str:
    if isinstance(schema.root, Ref | Map) and not schema.root.nullable:
        return ""
    return "a BSON message is a document: the root must be a record or a map"


FORMAT = JavaFormat(codecs=(jackson("bson", "bson4jackson", KEYS),), unsupported=_unsupported)
