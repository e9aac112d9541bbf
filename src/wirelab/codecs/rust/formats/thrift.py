"""Thrift through the official crate."""

from __future__ import annotations

from wirelab.codecs.rust import compilers, thrift
from wirelab.codecs.rust.compilers import Compiler
from wirelab.codecs.rust.declaration import POPULATED, PackModule, RustCodec, included
from wirelab.model.schema import Schema


def _sources(schema: Schema) -> dict[str, str]:
    tables = included("structs", '"structs.rs"')
    return {"thrift.rs": thrift.module(schema) + tables, "structs.thrift": thrift.schema_text(schema)}


MODULE = PackModule(
    codecs=(
        RustCodec(
            "thrift",
            "thrift-compact",
            "thrift",
            "thrift::Thrift<thrift::Compact>",
            POPULATED,
            {
                "buffer": "reused",
                "strings": "copied",
                "objects": "new for each message",
                "protocol": "compact",
            },
        ),
        RustCodec(
            "thrift",
            "thrift-binary",
            "thrift",
            "thrift::Thrift<thrift::Binary>",
            POPULATED,
            {
                "buffer": "reused",
                "strings": "copied",
                "objects": "new for each message",
                "protocol": "binary",
            },
        ),
    ),
    sources=_sources,
    compiler=Compiler(
        "structs.thrift", "structs.rs", compilers.thrift, "thrift", "apt install thrift-compiler"
    ),
)
