"""UBJSON has no library that is maintained."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import PackModule

MODULE = PackModule(
    absent={
        "ubjson/none": "no maintained Rust library: serde_ubj 0.2 writes only, ubjson 0.1 is a first release"
    }
)
