"""The declarations in `wirelab.codecs.cpp.formats`: codecs, and how to compile and link them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

import msgspec
from msgspec import Struct

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.cpp.toolchain import RUNTIME, Need
from wirelab.model.schema import Schema

BOUND = ("encode", "decode", "convert", "serialize", "deserialize")
POPULATED = ("populate", *BOUND)
Emitted = tuple[str, str, str]
"""a schema file's name, its text, and the C++ class of one message"""


class CppCodec(CodecSpec, frozen=True):
    """A codec in C++.

    `package` is the Debian package of its library. `source` is its class, in which `{root}` stands
    for the message class of the format's compiler. `unit` names its header in packs/cpp/codecs,
    `variant` the generated schema that it uses."""

    unit: str = ""
    variant: str = ""


class Accessor(Struct, frozen=True):
    """Access to fields by position: the macro of a namespace, and how it spells a name."""

    namespace: str
    macro: str
    spelled: Callable[[str], str] = str


class PackUnit(Struct, frozen=True):
    """A header of packs/cpp/codecs.

    `absent` are codecs that a user may expect but that are not available: name -> reason. `emitted`
    makes the schema for the format's compiler from the schema and the variant of a codec; `code` is
    C++ that the compiler's code needs in addition. `unsupported` is the reason why the codecs do
    not support a schema, "" if they do.
    """

    codecs: tuple[CppCodec, ...] = ()
    absent: Mapping[str, str] = {}
    need: Need = RUNTIME
    emitted: Callable[[Schema, str], Emitted] | None = None
    accessor: Accessor | None = None
    code: Callable[[Schema], str] | None = None
    unsupported: Callable[[Schema], str] | None = None


def digest(schema: Schema) -> str:
    """A short name for a schema."""
    return hashlib.sha256(msgspec.json.encode(schema, order="sorted")).hexdigest()[:16]
