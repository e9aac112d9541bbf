"""What a module of `wirelab.codecs.java.formats` declares: codecs, and the sources that a pack with
them needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.model.schema import Schema

BOUND = ("encode", "decode", "convert", "serialize", "deserialize")
POPULATED = ("populate", *BOUND)
ACCESSED = ("encode", "access", *BOUND[1:])
COPIED = {"buffer": "reused", "strings": "copied"}
READ = {"strings": "copied when read"}
TEXT = {**COPIED, "binding": "annotated public fields, by reflection"}
KEYS = {**TEXT, "records": "maps with text keys"}
DOM = {**COPIED, "source": "Jackson tree"}
MADE = {**COPIED, "objects": "new for each message"}


class JavaFormat(Struct, frozen=True):
    """A format in Java.

    `absent` is the reason why a format that other languages support has no codec. `sources` are
    generated from the schema, by path in the pack. `unsupported` is the reason why the codecs do
    not support a schema, "" if they do.
    """

    codecs: tuple[CodecSpec, ...] = ()
    absent: Mapping[str, str] = {}
    sources: Callable[[Schema], dict[str, str]] | None = None
    unsupported: Callable[[Schema], str] | None = None


def jackson(format_name: str, library: str, options: dict[str, str]) -> CodecSpec:
    """A codec that a Jackson module implements by data binding; its package has the library's name."""
    return CodecSpec(
        format_name, library, library, "", BOUND, options, unions=True, recursion=True, free_types=True
    )
