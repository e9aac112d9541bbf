"""YAML through serde-saphyr."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "yaml",
            "serde-saphyr",
            "serde-saphyr",
            "SerdeCodec<yaml::SerdeSaphyr>",
            BOUND,
            {"buffer": "reused", "strings": "copied", "text": "block style"},
            self_delimiting=False,
        ),
    ),
)
