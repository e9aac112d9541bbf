"""Generates the sources of a C++ pack: native objects, codec units and schemas of the formats."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from wirelab.codecs.cpp import model
from wirelab.codecs.cpp.declaration import CppCodec
from wirelab.codecs.cpp.registry import UNITS
from wirelab.model.schema import Schema
from wirelab.schema.lowering import lowered


class Unit(Struct, frozen=True):
    """The sources of one codec: its own, and the schema for the format's compiler."""

    name: str
    source: str
    schema: str = ""
    text: str = ""


def unit(schema: Schema, codec: CppCodec) -> Unit:
    """The unit of a codec."""
    schema = lowered(schema)
    emit = UNITS[codec.unit].emitted
    name, text, root = emit(schema, codec.variant) if emit else ("", "", "")
    code = UNITS[codec.unit].code
    body = f"""#include "model.hpp"
#include "codecs/{codec.unit}.hpp"
{_include(name)}{_accessors(schema, codec.unit)}{code(schema) if code else ""}
namespace wirelab::pack {{

std::unique_ptr<AnySession> {opener(codec)}(Corpus<Message> corpus) {{
    return open_session<{codec.source.format(root=root)}, Message>(std::move(corpus));
}}

}}  // namespace wirelab::pack
"""
    return Unit(codec.name, body, name, text)


def opener(codec: CppCodec) -> str:
    """The name of the function that opens a session of a codec."""
    return "open_" + codec.name.replace("/", "_").replace("-", "_")


def pack(codecs: Sequence[CppCodec], describe: str) -> str:
    """The source that exports the ABI and finds codecs by name."""
    declared = "".join(
        f"std::unique_ptr<AnySession> {opener(codec)}(Corpus<Message> corpus);\n" for codec in codecs
    )
    listed = "".join(f'    {{"{codec.name}", {opener(codec)}}},\n' for codec in codecs)
    return f"""#include "abi.hpp"
#include "model.hpp"

namespace wirelab::pack {{

{declared}
constexpr Opener<Message> OPENERS[] = {{
{listed}}};

}}  // namespace wirelab::pack

WIRELAB_EXPORT(wirelab::pack::Message, {model.literal(describe.encode())}, wirelab::pack::OPENERS)
"""


def _include(name: str) -> str:
    endings = {"proto": ".pb.h", "fbs": "_generated.h", "capnp": ".capnp.h", "thrift": "_types.h"}
    stem, _, kind = name.rpartition(".")
    return f'#include "{stem}{endings[kind]}"\n' if name else ""


def _accessors(schema: Schema, unit: str) -> str:
    """The fields of all records by position: their names are numbered alike."""
    accessor = UNITS[unit].accessor
    if accessor is None:
        return ""
    count = max((len(record.fields) for record in schema.records), default=0)
    lines = "".join(
        f"template <>\n{accessor.macro}(struct Named<{index}>, {accessor.spelled(f'f{index}')})\n"
        for index in range(count)
    )
    return f"\nnamespace wirelab::{accessor.namespace} {{\n{lines}}}\n"
