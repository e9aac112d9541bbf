"""XDR by code that wirelab generates to RFC 4506."""

from __future__ import annotations

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.java import xdr
from wirelab.codecs.java.declaration import BOUND, COPIED, JavaFormat

FORMAT = JavaFormat(
    codecs=(
        CodecSpec(
            "xdr",
            "generated-java",
            "",
            "new wirelab.pack.xd.XdrCodec()",
            BOUND,
            {**COPIED, "code": "written by wirelab to RFC 4506"},
            unions=True,
            recursion=True,
            free_types=True,
        ),
    ),
    sources=xdr.sources,
)
