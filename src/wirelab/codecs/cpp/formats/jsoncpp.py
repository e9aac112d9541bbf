"""JSON through JsonCpp."""

from __future__ import annotations

from wirelab.codecs.codec_spec import without
from wirelab.codecs.cpp.declaration import POPULATED, CppCodec, PackUnit
from wirelab.codecs.cpp.toolchain import Need
from wirelab.model.schema import Decimal

UNIT = PackUnit(
    codecs=(
        CppCodec(
            "json",
            "jsoncpp",
            "libjsoncpp-dev",
            "JsonCpp<Message>",
            POPULATED,
            {
                "buffer": "reused",
                "source": "native objects",
                "strings": "copied",
                "text": "compact",
                "floats": "17 digits, the default",
            },
            unit="jsoncpp",
            unions=True,
            free_types=True,
            recursion=True,
        ),
    ),
    need=Need(
        "jsoncpp/json/json.h",
        ("libjsoncpp-dev",),
        flags=("-I/usr/include/jsoncpp",),
        libraries=("-ljsoncpp",),
    ),
    unsupported=without(Decimal, "the library does not keep the digits of a number"),
)
