"""The declarations in `wirelab.codecs.rust.formats`: codecs, and what a pack with them needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.rust.compilers import Compiler
from wirelab.model.schema import Schema

BOUND = ("encode", "decode", "convert", "serialize", "deserialize")
POPULATED = ("populate", *BOUND)
BORROWED = "left in the message, copied where it escapes them"

_TABLES = """
#[allow(warnings, clippy::all)]
#[rustfmt::skip]
pub mod {name} {{
    include!({file});
}}
"""


class RustCodec(CodecSpec, frozen=True):
    """A codec in Rust. `source` is the type that implements it.

    `lends`: it can leave strings in the message and still find where the message ends.
    `is_variant`: it has a non-default setting, and is measured only if it is named in full.
    """

    lends: bool = False
    is_variant: bool = False
    unions: bool = True
    recursion: bool = True
    free_types: bool = True
    nonfinite: Literal["", "carried", "null"] = "carried"

    @property
    def module(self) -> str:
        """The module in `packs/rust/pack/src`, which is also the cargo feature of its library."""
        return self.source.rpartition("<")[2].partition("::")[0]

    @property
    def borrows(self) -> bool:
        """Whether it reads strings in place, into records with a lifetime."""
        return self.options.get("strings") == BORROWED


class PackModule(Struct, frozen=True):
    """A module of the pack.

    `absent` are codecs that a user may expect but that are not available: name -> reason. `sources`
    are generated from the schema, by path under `generated`; `compiler` processes one of them.
    `derives` are traits that the library derives on the native types, `additions` are Rust items
    that it also needs. `cyclic` are attributes of recursive records, and of their fields that close
    a cycle. `carries` tests whether a schema is supported; without it all are.
    `unsupported` is the reason why the codecs do not support a schema, "" if they do.

    A module of another package brings its `code`, the Rust source that `packs/rust/pack/src` has
    for the others, and the `crates` that a pack does not depend on: name -> value in Cargo.toml. An
    exact version (`"=1.2.3"`) goes into the result.
    """

    codecs: tuple[RustCodec, ...] = ()
    absent: Mapping[str, str] = {}
    sources: Callable[[Schema], dict[str, str]] | None = None
    compiler: Compiler | None = None
    derives: str = ""
    cyclic: tuple[str, str] = ("", "")
    additions: Callable[[Schema], str] | None = None
    carries: Callable[[Schema], bool] | None = None
    unsupported: Callable[[Schema], str] | None = None
    code: str = ""
    crates: Mapping[str, str] = {}


def included(name: str, file: str) -> str:
    """The module of a file that an official compiler wrote."""
    return _TABLES.format(name=name, file=file)
