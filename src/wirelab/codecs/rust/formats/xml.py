"""XML through quick-xml."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec

MODULE = PackModule(
    codecs=(
        RustCodec(
            "xml",
            "quick-xml",
            "quick-xml",
            "SerdeCodec<xml::QuickXml>",
            BOUND,
            {
                "buffer": "reused",
                "strings": "copied",
                "text": "compact",
                "null": "xsi:nil",
                "illegal names": "base64",
            },
        ),
    ),
)
