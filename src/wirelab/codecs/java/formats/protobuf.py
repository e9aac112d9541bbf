"""Protobuf through the official library, from native objects and from a Jackson tree."""

from __future__ import annotations

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.java.declaration import DOM, MADE, POPULATED, JavaFormat
from wirelab.codecs.java.object_models import protobuf_sources
from wirelab.model.schema import Schema
from wirelab.schema.emitters.protobuf import find_coding

_PROTOBUF = CodecSpec(
    "protobuf",
    "protobuf-java",
    "protobuf-java",
    "new wirelab.pack.pb.ProtobufCodec()",
    POPULATED,
    MADE,
    self_delimiting=False,
    unions=True,
    recursion=True,
    free_types=True,
)


def _unsupported(schema: Schema) -> str:
    coded = find_coding(schema, ("free", "group", "wrapped", "keys"))
    return coded and f"wirelab does not have it for Protobuf in Java: {coded}"


FORMAT = JavaFormat(
    codecs=(
        _PROTOBUF,
        _PROTOBUF.other(
            "protobuf-java-dom",
            DOM,
            source="new DomAdapter<>(new wirelab.pack.pb.ProtobufDomCodec(), this)",
        ),
    ),
    sources=protobuf_sources,
    unsupported=_unsupported,
)
