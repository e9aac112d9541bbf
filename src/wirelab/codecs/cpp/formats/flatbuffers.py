"""FlatBuffers through the official library."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import BOUND, Accessor, CppCodec, Emitted, PackUnit
from wirelab.codecs.cpp.toolchain import Need
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import Schema
from wirelab.schema.emitters import flatbuffers


def _emitted(schema: Schema, _: str) -> Emitted:
    renamed = numbered(schema)
    text = f"namespace wlfb;\n{flatbuffers.emit(renamed)}"
    return "tables.fbs", text, f"::wlfb::{flatbuffers.tables(renamed).root}"


def _members(schema: Schema) -> str:
    """The tables of each union, in the order of its alternatives."""
    lines = ""
    for table in flatbuffers.tables(numbered(schema)).tables:
        if table.role == "union":
            kinds = ", ".join(f"::wlfb::{flatbuffers.type_name(slot.type)}" for slot in table.slots)
            lines += f"template <>\nstruct Members<::wlfb::{table.name}> {{ using Types = std::tuple<{kinds}>; }};\n"
    return lines and f"\nnamespace wirelab::fb {{\n{lines}}}\n"


UNIT = PackUnit(
    codecs=(
        CppCodec(
            "flatbuffers",
            "flatbuffers-cpp",
            "libflatbuffers-dev",
            "fb::Native<Message, {root}>",
            ("encode", "access", "access_validated", *BOUND[1:]),
            {
                "buffer": "reused",
                "source": "native objects",
                "strings": "read in place",
                "decode": "verified",
            },
            unit="flatbuffers",
            self_delimiting=False,
            unions=True,
            free_types=True,
            recursion=True,
        ),
        CppCodec(
            "flatbuffers",
            "flatbuffers-cpp-dom",
            "libflatbuffers-dev",
            "fb::Dom<Message, {root}>",
            ("encode", "access", "access_validated", *BOUND[1:]),
            {"buffer": "reused", "source": "JsonCpp DOM", "strings": "copied", "decode": "verified"},
            unit="flatbuffers",
            self_delimiting=False,
            unions=True,
            free_types=True,
            recursion=True,
        ),
    ),
    # The compiler must be of the same package: the headers reject tables of another version.
    need=Need(
        "flatbuffers/flatbuffers.h",
        ("libflatbuffers-dev", "flatbuffers-compiler", "libjsoncpp-dev"),
        compiler="/usr/bin/flatc",
        flags=("-I/usr/include/jsoncpp",),
        libraries=("-ljsoncpp",),
    ),
    emitted=_emitted,
    accessor=Accessor("fb", "WIRELAB_FB_FIELD"),
    code=_members,
    unsupported=flatbuffers.too_many_alternatives,
)
