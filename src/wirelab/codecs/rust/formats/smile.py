"""Smile through serde-smile."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "smile",
            "serde-smile",
            "serde-smile",
            "SerdeCodec<smile::SerdeSmile>",
            BOUND,
            {"buffer": "reused", "strings": "copied", "keys": "shared within a message"},
            lends=True,
        ),
    ),
)
