"""Protobuf through Google's crate, on upb."""

from __future__ import annotations

from wirelab.codecs.rust import compilers, upb
from wirelab.codecs.rust.compilers import PROTOC, Compiler
from wirelab.codecs.rust.declaration import POPULATED, PackModule, RustCodec, included
from wirelab.model.schema import Schema


def _sources(schema: Schema) -> dict[str, str]:
    tables = included("structs_proto", '"structs.u.pb.rs"')
    return {"upb.rs": upb.module(schema) + tables, "structs.proto": upb.schema_text(schema)}


MODULE = PackModule(
    codecs=(
        RustCodec(
            "protobuf",
            "protobuf-upb",
            "protobuf",
            "upb::Upb",
            POPULATED,
            {
                "buffer": "new for each message",
                "strings": "copied",
                "objects": "new for each message, in upb's arena",
            },
            self_delimiting=False,
        ),
    ),
    sources=_sources,
    compiler=Compiler(
        "structs.proto",
        "structs.u.pb.rs",
        compilers.protoc,
        compilers.PROTOC_PROGRAM,
        f"pip install {PROTOC}",
    ),
)
