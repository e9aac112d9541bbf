"""JSON through RapidJSON."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import BOUND, CppCodec, PackUnit
from wirelab.codecs.cpp.toolchain import RUNTIME

UNIT = PackUnit(
    codecs=(
        CppCodec(
            "json",
            "rapidjson",
            "rapidjson-dev",
            "RapidJson<Message>",
            BOUND,
            {
                "buffer": "reused",
                "source": "native objects",
                "strings": "copied",
                "text": "compact",
                "floats": "shortest written, read in full precision",
            },
            unit="rapidjson",
            unions=True,
            free_types=True,
            recursion=True,
        ),
    ),
    need=RUNTIME,
)
