"""From a schema to the sources of its C++ pack: the native objects, a unit for each codec, and the formats' own schemas."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

from wirelab.codecs.cpp import model
from wirelab.codecs.cpp.registry import CppCodec
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import Schema
from wirelab.schema.emitters import capnp, flatbuffers, protobuf, thrift

Emitted = tuple[str, str, str]
"""a schema file's name, its text, and the C++ class of one message"""


class Unit(Struct, frozen=True):
    """What is compiled together for a codec: its own source, and the schema that a format's compiler turns into more."""

    name: str
    source: str
    schema: str = ""
    text: str = ""


def unit(schema: Schema, codec: CppCodec) -> Unit:
    """The unit of a codec."""
    emitted = _EMITTED[codec.unit](schema, codec.variant) if codec.unit in _EMITTED else ("", "", "")
    name, text, root = emitted
    body = f"""#include "model.hpp"
#include "codecs/{codec.unit}.hpp"
{_include(name)}{_accessors(schema, codec.unit)}
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
    """The fields of all records, by position: their names are numbered alike."""
    if unit not in _MACROS:
        return ""
    space, macro, spelled = _MACROS[unit]
    count = max((len(record.fields) for record in schema.records), default=0)
    lines = "".join(
        f"template <>\n{macro}(struct Named<{index}>, {spelled(f'f{index}')})\n" for index in range(count)
    )
    return f"\nnamespace wirelab::{space} {{\n{lines}}}\n"


def _protobuf(schema: Schema, variant: str) -> Emitted:
    renamed = numbered(schema)
    # libprotobuf knows every file of a process by its name, whichever pack it is in.
    name = f"wl{_digest(schema)}_{variant}"
    option = {"speed": "SPEED", "size": "CODE_SIZE"}[variant]
    syntax, _, rest = protobuf.emit(renamed).partition("\n")
    text = f"{syntax}\npackage {name};\noption optimize_for = {option};\n{rest}"
    return f"{name}.proto", text, f"::{name}::{protobuf.tables(renamed).root}"


def _flatbuffers(schema: Schema, _: str) -> Emitted:
    renamed = numbered(schema)
    text = f"namespace wlfb;\n{flatbuffers.emit(renamed)}"
    return "tables.fbs", text, f"::wlfb::{flatbuffers.tables(renamed).root}"


def _thrift(schema: Schema, _: str) -> Emitted:
    renamed = numbered(schema)
    text = f"namespace cpp wlth\n{thrift.emit(renamed)}"
    return "structs.thrift", text, f"::wlth::{thrift.tables(renamed).root}"


def _capnp(schema: Schema, _: str) -> Emitted:
    renamed = numbered(schema)
    head, _, rest = capnp.emit(renamed).partition("\n")
    text = f'{head}\nusing Cxx = import "/capnp/c++.capnp";\n$Cxx.namespace("wlcp");\n{rest}'
    return "structs.capnp", text, f"::wlcp::{capnp.tables(renamed).root}"


def _digest(schema: Schema) -> str:
    return hashlib.sha256(msgspec.json.encode(schema, order="sorted")).hexdigest()[:16]


_EMITTED: dict[str, Callable[[Schema, str], Emitted]] = {
    "protobuf": _protobuf,
    "flatbuffers": _flatbuffers,
    "thrift": _thrift,
    "capnp": _capnp,
}
_MACROS: dict[str, tuple[str, str, Callable[[str], str]]] = {
    "protobuf": ("pb", "WIRELAB_PB_FIELD", str),
    "flatbuffers": ("fb", "WIRELAB_FB_FIELD", str),
    "thrift": ("th", "WIRELAB_TH_FIELD", str),
    "capnp": ("cp", "WIRELAB_CP_FIELD", str.capitalize),
}
