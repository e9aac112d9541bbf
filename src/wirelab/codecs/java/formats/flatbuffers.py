"""FlatBuffers through the official library, from native objects and from a Jackson tree."""

from __future__ import annotations

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.java import flatbuffers
from wirelab.codecs.java.declaration import ACCESSED, DOM, READ, JavaFormat
from wirelab.model.schema import Schema
from wirelab.schema.lowering import lowered


def _unsupported(schema: Schema) -> str:
    many = (one.name for one in lowered(schema).records if one.shape == "union" and len(one.fields) > 127)
    name = next(many, "")
    return f"flatc generates Java for unions of up to 127 alternatives; {name} has more" if name else ""


_FLATBUFFERS = CodecSpec(
    "flatbuffers",
    "flatbuffers-java",
    "flatbuffers-java",
    "new wirelab.pack.fb.FlatBuffersCodec()",
    ACCESSED,
    {"buffer": "reused", **READ, "decode": "not verified: the library has no verifier"},
    self_delimiting=False,
    unions=True,
    recursion=True,
    free_types=True,
)
FORMAT = JavaFormat(
    codecs=(
        _FLATBUFFERS,
        _FLATBUFFERS.other(
            "flatbuffers-java-dom",
            DOM,
            source="new DomAdapter<>(new wirelab.pack.fb.FlatBuffersDomCodec(), this)",
        ),
    ),
    sources=flatbuffers.sources,
    unsupported=_unsupported,
)
