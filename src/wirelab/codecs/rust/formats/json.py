"""JSON through serde_json."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "json",
            "serde_json",
            "serde_json",
            "SerdeCodec<json::SerdeJson>",
            BOUND,
            {"buffer": "reused", "strings": "copied", "text": "compact"},
            lends=True,
            nonfinite="null",
        ),
    ),
)
