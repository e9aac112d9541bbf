"""Thrift through the official library, in its compact and its binary protocol."""

from __future__ import annotations

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.java.declaration import MADE, POPULATED, JavaFormat
from wirelab.codecs.java.names import native
from wirelab.codecs.java.object_models import thrift_sources
from wirelab.model.schema import Record, Schema
from wirelab.schema.lowering import lowered

_MOST_PARAMETERS = 254
"""JVM Specification, 4.3.3: at most 255 parameter units. long and double take two, `this` one."""


def _unsupported(schema: Schema) -> str:
    wide = [
        record.name
        for record in lowered(schema).records
        if record.shape != "union" and _parameters(record) > _MOST_PARAMETERS
    ]
    if not wide:
        return ""
    return f"the constructor that Thrift's compiler generates for {wide[0]} has too many parameters for Java"


def _parameters(record: Record) -> int:
    """Units of the constructor's parameters: all required fields."""
    needed = [field.type for field in record.fields if not (field.optional or field.type.nullable)]
    return sum(
        2 if native(kind) in ("long", "double", "float", "Unsigned", "Timestamp") else 1 for kind in needed
    )


_THRIFT = CodecSpec(
    "thrift",
    "libthrift-compact",
    "libthrift",
    "new wirelab.pack.th.ThriftCodec(new org.apache.thrift.protocol.TCompactProtocol.Factory())",
    POPULATED,
    {**MADE, "protocol": "compact"},
    unions=True,
    recursion=True,
    free_types=True,
)
FORMAT = JavaFormat(
    codecs=(
        _THRIFT,
        _THRIFT.other(
            "libthrift-binary", {"protocol": "binary"}, source=_THRIFT.source.replace("Compact", "Binary")
        ),
    ),
    sources=thrift_sources,
    unsupported=_unsupported,
)
