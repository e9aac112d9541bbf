"""JSON through sonic-rs."""

from __future__ import annotations

from wirelab.codecs.codec_spec import without
from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.model.schema import Decimal

MODULE = PackModule(
    codecs=(
        RustCodec(
            "json",
            "sonic-rs",
            "sonic-rs",
            "SerdeCodec<sonic::SonicRs>",
            BOUND,
            {"buffer": "reused", "strings": "copied", "text": "compact"},
            lends=True,
            nonfinite="null",
        ),
    ),
    unsupported=without(Decimal, "the library does not keep the digits of a number"),
)
