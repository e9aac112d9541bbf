"""The C codecs: their libraries, generators and compiler options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from wirelab.codecs.codec_spec import without
from wirelab.devices import c_arduinojson, c_cbor, c_mpack, c_nanopb, c_xdr
from wirelab.devices.build import Part
from wirelab.devices.c_layout import Member, Shape, shape
from wirelab.devices.catalog import FIRMWARE, Device
from wirelab.devices.libraries import Libraries
from wirelab.devices.structs import declarations, messages_part
from wirelab.model import schema as model
from wirelab.model.errors import BadInput
from wirelab.model.schema import AnyType, Base64, Decimal, Float, Ref, Schema, String
from wirelab.schema.emitters.protobuf import find_coding
from wirelab.schema.lowering import nonfinite_type
from wirelab.schema.recursion import recursive_place

PACKS = FIRMWARE.parent / "packs" / "mcu"
ARENAS = (65536, 16384, 4096, 1024, 768, 512, 384, 256)
"""Sizes of an ArduinoJson document: the first that fits is used. Unused bytes are not counted."""


class Codec(Struct, frozen=True):
    """A C codec. `texts`: timestamps and base64 stay text. `null_is_absent`: null equals absent.
    `free_types`: which of `any` and `decimal` it carries, as text.
    """

    name: str
    format: str
    library: str
    texts: bool = False
    null_is_absent: bool = False
    free_types: tuple[type[AnyType], ...] = ()

    @property
    def named(self) -> bool:
        """Whether messages contain the names of their keys."""
        return self.format in ("json", "cbor", "msgpack")


CODECS = {
    codec.name: codec
    for codec in (
        Codec("xdr/wirelab", "xdr", "wirelab", null_is_absent=True, free_types=(model.Any, Decimal)),
        Codec("protobuf/nanopb", "protobuf", "nanopb", null_is_absent=True, free_types=(model.Any, Decimal)),
        Codec("msgpack/mpack", "msgpack", "mpack", free_types=(Decimal,)),
        Codec("cbor/tinycbor", "cbor", "tinycbor", free_types=(Decimal,)),
        Codec("json/arduinojson", "json", "arduinojson", texts=True),
    )
}
_UNKEPT: dict[type[AnyType], str] = {
    model.Any: "no structure in C holds a value of any type but as text",
    Decimal: "the library does not keep the digits of a number",
}
SIZE_ONLY = {
    "avro": "no maintained C implementation runs without an operating system: avro-c needs a heap, files and Jansson",
    "capnp": "no maintained C implementation runs on a chip: c-capnproto needs 64-bit segments on a heap and its own compiler",
}


class Sources(Struct, frozen=True):
    """The folder with all sources for one codec and one set of messages."""

    codec: Codec
    folder: Path
    shape: Shape
    test: Part
    stub: Part
    generated: Part
    library: Part


def choose(formats: tuple[str, ...]) -> list[Codec]:
    """The codecs of formats (`xdr`) or names (`xdr/wirelab`); if empty, all. Raises BadInput."""
    if not formats:
        return list(CODECS.values())
    found = []
    for wish in formats:
        match = [codec for codec in CODECS.values() if wish in (codec.name, codec.format, codec.library)]
        if not match and wish not in SIZE_ONLY:
            known = [*sorted({codec.format for codec in CODECS.values()}), *SIZE_ONLY]
            raise BadInput(f"format '{wish}'", "has no C codec for devices", f"choose of {', '.join(known)}")
        found += match
    return list(dict.fromkeys(found))


def generate(
    codec: Codec,
    chip: Device,
    schema: Schema,
    corpus: list[Any],
    chosen: list[int],
    libraries: Libraries,
    folder: Path,
    arena: int,
) -> Sources:
    """Write the C files of a codec: structures sized by the corpus, and the chosen messages.

    Raises BadInput for messages that are not supported, MeasurementFailed if a generator fails.
    """
    if nested := recursive_place(schema):
        raise BadInput(codec.name, f"no recursive records on devices: {nested}", "write out the levels")
    for kind, why in _UNKEPT.items():
        if kind not in codec.free_types and (free := without(kind, why)(schema)):
            raise BadInput(codec.name, free, "give it another type")
    if endless := nonfinite_type(schema):
        raise BadInput(codec.name, f"no NaN and infinities on devices: {endless}", "leave them out")
    is_nanopb = codec.library == "nanopb"
    if is_nanopb and (coded := find_coding(schema, c_nanopb.UNSUPPORTED)):
        raise BadInput(codec.name, f"wirelab does not have it for nanopb: {coded}", "give another schema")
    plan = shape(schema, corpus, codec.texts, union_texts=codec.named)
    plan.messages = [plan.messages[index] for index in chosen]
    if is_nanopb:
        c_nanopb.generate(plan, folder)
    buffer = "Message_size" if is_nanopb else str(_largest(codec, plan, corpus))
    _write(codec, plan, folder, buffer.replace("Message", plan.root))
    generated, library = _parts(codec, chip, plan, libraries, folder, arena)
    inner = Part((folder / "messages.c",), generated.options)
    return Sources(
        codec, folder, plan, inner, Part((folder / "stub.c",), generated.options), generated, library
    )


def _write(codec: Codec, plan: Shape, folder: Path, buffer: str) -> None:
    own = '#include "message.pb.h"\n' if codec.library == "nanopb" else declarations(plan)
    (folder / "message.h").write_text(
        f'#pragma once\n#include <stdbool.h>\n#include <stdint.h>\n#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{own}\n'
        f"extern {plan.root} *const wl_subject;\n\n#ifdef __cplusplus\n}}\n#endif\n"
    )
    (folder / "messages.c").write_text(messages_part(plan, codec.library == "nanopb", codec.null_is_absent))
    (folder / "stub.c").write_text(_STUB.replace("ROOT", plan.root))
    head = _HEAD.replace("ROOT", plan.root).replace("BUFFER", buffer)
    if codec.library == "arduinojson":
        (folder / "codec.cpp").write_text(head.replace("ROOT", plan.root) + c_arduinojson.functions(plan))
    else:
        body: Callable[[Shape], str] = {
            "wirelab": c_xdr.functions, "nanopb": c_nanopb.functions, "mpack": c_mpack.functions, "tinycbor": c_cbor.functions,
        }[codec.library]  # fmt: skip
        include = c_xdr.INCLUDES if codec.library == "wirelab" else ""
        (folder / "codec.c").write_text(head + include + _NO_HEAP + body(plan))


_HEAD = """#include <string.h>
#include "message.h"
#include "wirelab.h"

#ifdef __cplusplus
extern "C" {
#endif
static ROOT wl_message;
ROOT *const wl_subject = &wl_message;
uint8_t wl_buffer[BUFFER];
#ifdef __cplusplus
}
#endif

"""
_NO_HEAP = "unsigned wl_heap_peak(void) { return 0; }\n\n"
_STUB = """#include "message.h"
#include "wirelab.h"

ROOT *const wl_subject = 0;
uint8_t wl_buffer[1];
unsigned wl_serialize(void) { return 0; }
bool wl_deserialize(unsigned length) { (void)length; return false; }
unsigned wl_heap_peak(void) { return 0; }
"""


def _parts(
    codec: Codec, chip: Device, plan: Shape, libraries: Libraries, folder: Path, arena: int
) -> tuple[Part, Part]:
    narrow = chip.double_bits == 32
    if codec.library == "wirelab":
        runtime = PACKS / "xdr"
        return Part((folder / "codec.c",), (f"-I{runtime}",)), Part((runtime / "wl_xdr.c",))
    home = libraries[codec.library].folder
    include = f"-I{home}"
    if codec.library == "nanopb":
        options = (include, *c_nanopb.settings(plan, chip))
        return Part((folder / "codec.c", folder / "message.pb.c"), options), Part(
            tuple(home / f for f in c_nanopb.FILES), options
        )
    if codec.library == "mpack":
        options = (include, *c_mpack.OPTIONS, *((c_mpack.NARROW_DOUBLE,) if narrow else ()))
        return Part((folder / "codec.c",), options), Part(tuple(home / f for f in c_mpack.FILES), options)
    if codec.library == "tinycbor":
        runtime = PACKS / "cbor"
        options = (f"-I{home / 'src'}", f"-I{runtime}", *c_cbor.OPTIONS)
        files = (*(home / f for f in c_cbor.FILES), runtime / "wl_cbor.c")
        return Part((folder / "codec.c",), options), Part(files, options)
    options = (
        include,
        f"-I{PACKS / 'arduinojson'}",
        f"-DWL_ARENA={arena}",
        *c_arduinojson.options(plan, chip.double_bits),
    )
    return Part((folder / "codec.cpp",), options), Part(())


def _largest(codec: Codec, plan: Shape, corpus: list[Any]) -> int:
    """The size of the buffer: the largest possible message with the maxima of the corpus."""
    if codec.library == "wirelab":
        return c_xdr.largest(plan)
    if codec.library == "arduinojson":
        return c_arduinojson.largest(corpus)
    sizes: dict[str, int] = {}
    for table in plan.tables.values():
        members = [_self_described(member, sizes, table.role) for member in table.members]
        sizes[table.name] = max(members) if table.role == "union" else 5 + sum(members)
    return sizes[plan.root]


def _self_described(member: Member, sizes: dict[str, int], role: str) -> int:
    key = len(member.key.encode()) + 2 if role == "record" else 0
    kind = member.kind
    if isinstance(kind, Ref):
        one = sizes[kind.name]
    elif isinstance(kind, String | Base64):
        one = member.size + 5
    else:
        one = 9 if not isinstance(kind, Float) or kind.bits == 64 else 5
    return key + (5 + max(member.count, 1) * one if member.is_list else one)
