"""rkyv."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "rkyv",
            "rkyv",
            "rkyv",
            "rkyv::Rkyv",
            ("encode", "access", "access_validated", *BOUND[1:]),
            {"buffer": "reused", "strings": "read in place", "decode": "validated"},
            self_delimiting=False,
        ),
    ),
    derives="::rkyv::Archive, ::rkyv::Serialize, ::rkyv::Deserialize",
)
