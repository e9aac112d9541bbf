"""bitcode."""

from __future__ import annotations

from wirelab.codecs.codec_spec import without
from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.model.schema import Any, Schema
from wirelab.schema.recursion import recursive_place

_free_values = without(Any, "the library has no values of any type")


def _unsupported(schema: Schema) -> str:
    """Why a schema cannot be compiled: a derived coder holds the coders of its fields."""
    nested = recursive_place(schema)
    return f"the library derives no recursive coders: {nested}" if nested else _free_values(schema)


MODULE = PackModule(
    codecs=(
        RustCodec(
            "bitcode",
            "bitcode",
            "bitcode",
            "bitcode::Bitcode",
            BOUND,
            {"buffer": "reused", "strings": "copied", "code": "derived by the library"},
            self_delimiting=False,
        ),
    ),
    derives="::bitcode::Encode, ::bitcode::Decode",
    unsupported=_unsupported,
)
