"""CBOR through cbor4ii."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "cbor",
            "cbor4ii",
            "cbor4ii",
            "SerdeCodec<cbor4ii::Cbor4ii>",
            BOUND,
            {
                "buffer": "reused",
                "strings": "copied",
                "records": "maps with text keys",
                "floats": "as wide as the schema says",
            },
            lends=True,
        ),
    ),
)
