"""FlatBuffers through the official library, from native objects and from a Jackson tree."""

from __future__ import annotations

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.java import flatbuffers
from wirelab.codecs.java.declaration import ACCESSED, DOM, READ, JavaFormat

_FLATBUFFERS = CodecSpec(
    "flatbuffers",
    "flatbuffers-java",
    "flatbuffers-java",
    "new wirelab.pack.fb.FlatBuffersCodec()",
    ACCESSED,
    {"buffer": "reused", **READ, "decode": "not verified: the library has no verifier"},
    self_delimiting=False,
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
)
