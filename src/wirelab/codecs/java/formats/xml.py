"""XML through Jackson."""

from __future__ import annotations

from wirelab.codecs.java.declaration import TEXT, JavaFormat, jackson
from wirelab.model.schema import AnyType, List, Map, Schema, walk


def _unsupported(schema: Schema) -> str:
    kinds = [schema.root, *(field.type for record in schema.records for field in record.fields)]
    if any(_holds_list(inner) for kind in kinds for inner in walk(kind)):
        return "Jackson cannot read a list inside a list or map back from XML"
    return ""


def _holds_list(kind: AnyType) -> bool:
    inner = kind.items if isinstance(kind, List) else kind.values if isinstance(kind, Map) else None
    return isinstance(inner, List)


FORMAT = JavaFormat(
    codecs=(
        jackson(
            "xml",
            "jackson-dataformat-xml",
            {**TEXT, "text": "compact", "null": "xsi:nil", "illegal names": "base64"},
        ),
    ),
    unsupported=_unsupported,
)
