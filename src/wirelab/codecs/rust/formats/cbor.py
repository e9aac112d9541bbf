"""CBOR through ciborium."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "cbor",
            "ciborium",
            "ciborium",
            "SerdeCodec<cbor::Ciborium>",
            BOUND,
            {"buffer": "reused", "strings": "copied", "records": "maps with text keys"},
        ),
    ),
)
