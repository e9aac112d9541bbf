"""FlexBuffers through the official crate."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "flexbuffers",
            "flexbuffers",
            "flexbuffers",
            "flexbuffers::FlexBuffers",
            BOUND,
            {"buffer": "reused", "strings": "copied"},
            self_delimiting=False,
        ),
    ),
)
