"""A compiled codec pack, as a value."""

from __future__ import annotations

import msgspec
from msgspec import Struct


class CodecInfo(Struct, frozen=True):
    """One codec of a pack, as the pack describes it.

    `losses` are what the format cannot carry for this schema. The round trip may find more.
    """

    name: str
    format: str
    library: str
    version: str
    phases: tuple[str, ...]
    options: dict[str, str] = {}
    losses: tuple[str, ...] = ()
    self_delimiting: bool = False


class Description(Struct, frozen=True):
    """The answer of `wl_describe` (docs/contracts/pack.md)."""

    abi: int
    language: str
    schema: str
    toolchain: str
    codecs: tuple[CodecInfo, ...]


class Pack(Struct, frozen=True):
    """A compiled pack: a shared library or a folder of Java classes. `schema` is a hash."""

    path: str
    schema: str
    toolchain: str
    codecs: tuple[CodecInfo, ...]
    language: str = "rust"

    def codec(self, name: str) -> CodecInfo:
        """The codec called `format/library`, or the only one of a format. Raises KeyError."""
        for codec in self.codecs:
            if name in (codec.name, codec.format):
                return codec
        raise KeyError(name)


def described(path: str, describe: str) -> Pack:
    """The pack at `path` that describes itself with this JSON."""
    found = msgspec.json.decode(describe, type=Description)
    return Pack(path, found.schema, found.toolchain, found.codecs, found.language)
