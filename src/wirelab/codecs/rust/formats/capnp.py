"""Cap'n Proto through capnp."""

from __future__ import annotations

from wirelab.codecs.rust import capnp, compilers
from wirelab.codecs.rust.compilers import Compiler
from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec, included
from wirelab.model.schema import Schema


def _sources(schema: Schema) -> dict[str, str]:
    tables = included("structs_capnp", 'concat!(env!("OUT_DIR"), "/structs_capnp.rs")')
    return {"capnp.rs": capnp.module(schema) + tables, "structs.capnp": capnp.schema_text(schema)}


MODULE = PackModule(
    codecs=(
        RustCodec(
            "capnp",
            "capnp",
            "capnp",
            "capnp::Plain",
            ("encode", "access", *BOUND[1:]),
            {"buffer": "reused", "strings": "read in place", "packing": "no", "segments": "one"},
        ),
        RustCodec(
            "capnp",
            "capnp-packed",
            "capnp",
            "capnp::Packed",
            BOUND,
            {"buffer": "reused", "strings": "read in place", "packing": "yes", "segments": "one"},
        ),
    ),
    sources=_sources,
    compiler=Compiler("structs.capnp", "structs.request", compilers.capnp, "capnp", "apt install capnproto"),
)
