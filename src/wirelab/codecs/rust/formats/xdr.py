"""XDR, written by wirelab to RFC 4506."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "xdr",
            "rfc4506",
            "",
            "SerdeCodec<xdr::Rfc4506>",
            BOUND,
            {"buffer": "reused", "strings": "copied", "code": "ours"},
        ),
    ),
)
