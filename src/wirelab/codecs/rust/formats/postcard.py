"""Postcard."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "postcard",
            "postcard",
            "postcard",
            "SerdeCodec<postcard::Postcard>",
            BOUND,
            {"buffer": "reused", "strings": "copied"},
            lends=True,
        ),
    ),
)
