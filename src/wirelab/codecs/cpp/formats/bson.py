"""BSON through libbson."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import BOUND, CppCodec, PackUnit
from wirelab.codecs.cpp.toolchain import Need

UNIT = PackUnit(
    codecs=(
        CppCodec(
            "bson",
            "libbson",
            "libbson-dev",
            "bs::Codec<Message>",
            BOUND,
            {
                "buffer": "reused",
                "source": "native objects",
                "strings": "left in the message",
                "records": "documents",
            },
            unit="bson",
            unions=True,
            free_types=True,
            recursion=True,
        ),
    ),
    need=Need(
        "libbson-1.0/bson/bson.h",
        ("libbson-dev",),
        flags=("-isystem/usr/include/libbson-1.0",),
        libraries=("-lbson-1.0",),
    ),
)
