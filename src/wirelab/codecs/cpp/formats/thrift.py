"""Thrift through the official library."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import POPULATED, Accessor, CppCodec, Emitted, PackUnit
from wirelab.codecs.cpp.toolchain import Need
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import Schema
from wirelab.schema.emitters import thrift


def _emitted(schema: Schema, _: str) -> Emitted:
    renamed = numbered(schema)
    text = f"namespace cpp wlth\n{thrift.emit(renamed, boxed=True)}"
    return "structs.thrift", text, f"::wlth::{thrift.tables(renamed).root}"


UNIT = PackUnit(
    codecs=(
        CppCodec(
            "thrift",
            "thrift-cpp-compact",
            "libthrift-dev",
            "th::Codec<Message, {root}, apache::thrift::protocol::TCompactProtocol>",
            POPULATED,
            {
                "buffer": "reused",
                "source": "native objects",
                "strings": "copied",
                "objects": "new for each message",
                "protocol": "compact",
            },
            unit="thrift",
            unions=True,
            recursion=True,
            free_types=True,
        ),
        CppCodec(
            "thrift",
            "thrift-cpp-binary",
            "libthrift-dev",
            "th::Codec<Message, {root}, apache::thrift::protocol::TBinaryProtocol>",
            POPULATED,
            {
                "buffer": "reused",
                "source": "native objects",
                "strings": "copied",
                "objects": "new for each message",
                "protocol": "binary",
            },
            unit="thrift",
            unions=True,
            recursion=True,
            free_types=True,
        ),
    ),
    need=Need(
        "thrift/TProcessor.h",
        ("libthrift-dev", "thrift-compiler"),
        compiler="/usr/bin/thrift",
        libraries=("-lthrift",),
    ),
    emitted=_emitted,
    accessor=Accessor("th", "WIRELAB_TH_FIELD"),
)
