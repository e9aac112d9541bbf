"""BSON through the official crate."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "bson",
            "bson",
            "bson",
            "SerdeCodec<bson::Bson>",
            BOUND,
            {"buffer": "reused", "strings": "copied", "records": "documents"},
        ),
    ),
)
