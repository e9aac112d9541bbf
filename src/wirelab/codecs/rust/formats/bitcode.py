"""bitcode."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.model.schema import Schema
from wirelab.schema.recursion import recursive_place


def _recursion(schema: Schema) -> str:
    """Why a schema cannot be compiled: a derived coder holds the coders of its fields."""
    nested = recursive_place(schema)
    return nested and f"the library derives no recursive coders: {nested}"


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
    unsupported=_recursion,
    derives="::bitcode::Encode, ::bitcode::Decode",
)
