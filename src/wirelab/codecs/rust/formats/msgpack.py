"""MessagePack through rmp-serde."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "msgpack",
            "rmp-serde",
            "rmp-serde",
            "SerdeCodec<msgpack::RmpSerde>",
            BOUND,
            {"buffer": "reused", "strings": "copied", "records": "maps with text keys"},
        ),
    ),
)
