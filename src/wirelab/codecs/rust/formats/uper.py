"""ASN.1 in unaligned packed encoding through rasn."""

from __future__ import annotations

from wirelab.codecs.rust import uper
from wirelab.codecs.rust.declaration import POPULATED, PackModule, RustCodec
from wirelab.model.schema import Schema


def _sources(schema: Schema) -> dict[str, str]:
    return {"uper.rs": uper.module(schema)}


MODULE = PackModule(
    codecs=(
        RustCodec(
            "uper",
            "rasn",
            "rasn",
            "uper::Uper",
            POPULATED,
            {
                "buffer": "reused",
                "strings": "copied",
                "integers": "range seen, extensible",
                "floats": "scaled integers",
            },
            self_delimiting=False,
            nonfinite="",
        ),
    ),
    sources=_sources,
)
