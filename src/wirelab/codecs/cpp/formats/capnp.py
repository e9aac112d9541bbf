"""Cap'n Proto through the official library."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import BOUND, Accessor, CppCodec, Emitted, PackUnit
from wirelab.codecs.cpp.toolchain import Need
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import Schema
from wirelab.schema.emitters import capnp


def _emitted(schema: Schema, _: str) -> Emitted:
    renamed = numbered(schema)
    head, _, rest = capnp.emit(renamed).partition("\n")
    text = f'{head}\nusing Cxx = import "/capnp/c++.capnp";\n$Cxx.namespace("wlcp");\n{rest}'
    return "structs.capnp", text, f"::wlcp::{capnp.tables(renamed).root}"


UNIT = PackUnit(
    codecs=(
        CppCodec(
            "capnp",
            "capnp-cpp",
            "libcapnp-dev",
            "cp::Unpacked<Message, {root}>",
            ("encode", "access", *BOUND[1:]),
            {
                "buffer": "new for each message",
                "source": "native objects",
                "strings": "read in place",
                "packing": "no",
            },
            unit="capnp",
            unions=True,
            free_types=True,
            recursion=True,
        ),
        CppCodec(
            "capnp",
            "capnp-cpp-packed",
            "libcapnp-dev",
            "cp::Packed<Message, {root}>",
            BOUND,
            {
                "buffer": "new for each message",
                "source": "native objects",
                "strings": "read in place",
                "packing": "yes",
            },
            unit="capnp",
            unions=True,
            free_types=True,
            recursion=True,
        ),
    ),
    need=Need(
        "capnp/message.h",
        ("libcapnp-dev", "capnproto"),
        compiler="/usr/bin/capnp",
        libraries=("-lcapnp", "-lkj"),
    ),
    emitted=_emitted,
    accessor=Accessor("cp", "WIRELAB_CP_FIELD", str.capitalize),
)
