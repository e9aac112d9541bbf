"""CBOR through minicbor."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "cbor",
            "minicbor",
            "minicbor-serde",
            "SerdeCodec<minicbor::Minicbor>",
            BOUND,
            {
                "buffer": "reused",
                "strings": "copied",
                "records": "maps with text keys",
                "floats": "as wide as the schema says",
            },
        ),
    ),
)
