"""bitcode."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "bitcode",
            "bitcode",
            "bitcode",
            "bitcode::Bitcode",
            BOUND,
            {"buffer": "reused", "strings": "copied", "code": "derived by the library"},
            self_delimiting=False,
        ),
    ),
    derives="::bitcode::Encode, ::bitcode::Decode",
)
