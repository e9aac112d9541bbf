"""XDR, written by wirelab to RFC 4506."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import BOUND, CppCodec, PackUnit
from wirelab.codecs.cpp.toolchain import RUNTIME

UNIT = PackUnit(
    codecs=(
        CppCodec(
            "xdr",
            "generated-cpp",
            "",
            "xdr::Codec<Message>",
            BOUND,
            {
                "buffer": "reused",
                "source": "native objects",
                "strings": "left in the message",
                "code": "written by wirelab to RFC 4506",
            },
            unit="xdr",
            unions=True,
            free_types=True,
            recursion=True,
        ),
    ),
    need=RUNTIME,
)
