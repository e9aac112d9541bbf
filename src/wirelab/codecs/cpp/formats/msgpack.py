"""MessagePack through msgpack-cxx."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import BOUND, CppCodec, PackUnit
from wirelab.codecs.cpp.toolchain import Need

UNIT = PackUnit(
    codecs=(
        CppCodec(
            "msgpack",
            "msgpack-cxx",
            "libmsgpack-cxx-dev",
            "mp::Codec<Message>",
            BOUND,
            {
                "buffer": "reused",
                "source": "native objects",
                "strings": "left in the message",
                "records": "maps with text keys",
            },
            unit="msgpack",
            unions=True,
            free_types=True,
            recursion=True,
        ),
    ),
    need=Need("msgpack.hpp", ("libmsgpack-cxx-dev",), flags=("-DMSGPACK_NO_BOOST",)),
)
