"""Protobuf through the official library."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import POPULATED, Accessor, CppCodec, Emitted, PackUnit, digest
from wirelab.codecs.cpp.toolchain import Need
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import Schema
from wirelab.schema.emitters import protobuf


def _emitted(schema: Schema, variant: str) -> Emitted:
    renamed = numbered(schema)
    # libprotobuf registers files by name for the whole process, across packs.
    name = f"wl{digest(schema)}_{variant}"
    option = {"speed": "SPEED", "size": "CODE_SIZE"}[variant]
    syntax, _, rest = protobuf.emit(renamed).partition("\n")
    text = f"{syntax}\npackage {name};\noption optimize_for = {option};\n{rest}"
    return f"{name}.proto", text, f"::{name}::{protobuf.tables(renamed).root}"


def _unsupported(schema: Schema) -> str:
    coded = protobuf.find_coding(schema, ("free", "group", "wrapped", "keys"))
    return coded and f"wirelab does not have it for Protobuf in C++: {coded}"


UNIT = PackUnit(
    codecs=(
        CppCodec(
            "protobuf",
            "protobuf-cpp",
            "libprotobuf-dev",
            "pb::Native<Message, {root}>",
            POPULATED,
            {
                "buffer": "reused",
                "source": "native objects",
                "strings": "copied",
                "objects": "new for each message",
                "optimize_for": "SPEED",
            },
            unit="protobuf",
            variant="speed",
            self_delimiting=False,
            unions=True,
            free_types=True,
            recursion=True,
        ),
        CppCodec(
            "protobuf",
            "protobuf-cpp-size",
            "libprotobuf-dev",
            "pb::Native<Message, {root}>",
            POPULATED,
            {
                "buffer": "reused",
                "source": "native objects",
                "strings": "copied",
                "objects": "new for each message",
                "optimize_for": "CODE_SIZE",
            },
            unit="protobuf",
            variant="size",
            self_delimiting=False,
            unions=True,
            free_types=True,
            recursion=True,
        ),
        CppCodec(
            "protobuf",
            "protobuf-cpp-dom",
            "libprotobuf-dev",
            "pb::Dom<Message, {root}>",
            POPULATED,
            {
                "buffer": "reused",
                "source": "JsonCpp DOM",
                "strings": "copied",
                "objects": "new for each message",
                "optimize_for": "SPEED",
            },
            unit="protobuf",
            variant="speed",
            self_delimiting=False,
            unions=True,
            free_types=True,
            recursion=True,
        ),
        CppCodec(
            "protobuf",
            "protobuf-cpp-dom-size",
            "libprotobuf-dev",
            "pb::Dom<Message, {root}>",
            POPULATED,
            {
                "buffer": "reused",
                "source": "JsonCpp DOM",
                "strings": "copied",
                "objects": "new for each message",
                "optimize_for": "CODE_SIZE",
            },
            unit="protobuf",
            variant="size",
            self_delimiting=False,
            unions=True,
            free_types=True,
            recursion=True,
        ),
    ),
    need=Need(
        "google/protobuf/message.h",
        ("libprotobuf-dev", "protobuf-compiler", "libjsoncpp-dev"),
        compiler="/usr/bin/protoc",
        flags=("-I/usr/include/jsoncpp",),
        libraries=("-lprotobuf", "-ljsoncpp"),
    ),
    emitted=_emitted,
    accessor=Accessor("pb", "WIRELAB_PB_FIELD"),
    unsupported=_unsupported,
)
