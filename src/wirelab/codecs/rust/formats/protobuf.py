"""Protobuf through prost."""

from __future__ import annotations

from wirelab.codecs.rust import protobuf
from wirelab.codecs.rust.declaration import POPULATED, PackModule, RustCodec
from wirelab.model.schema import Schema


def _sources(schema: Schema) -> dict[str, str]:
    return {"protobuf.rs": protobuf.module(schema)}


MODULE = PackModule(
    codecs=(
        RustCodec(
            "protobuf",
            "prost",
            "prost",
            "protobuf::Prost",
            POPULATED,
            {"buffer": "reused", "strings": "copied", "objects": "new for each message"},
            self_delimiting=False,
        ),
    ),
    sources=_sources,
)
