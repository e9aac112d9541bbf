"""Amazon Ion through ion-rs."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "ion",
            "ion-rs",
            "ion-rs",
            "SerdeCodec<ion::IonRs>",
            BOUND,
            {"buffer": "new for each message", "strings": "copied", "symbols": "in each message"},
            self_delimiting=False,
        ),
    ),
)
