"""The packs that peers load, by the language of their codecs.

A peer in any language loads a native pack through its C ABI, so a C++ codec is measured in the
clients that are measured with Rust codecs. A Java pack is loaded by peers that run in a JVM.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from msgspec import Struct

from wirelab.codecs.cpp.registry import CPP as CPP_CODECS
from wirelab.codecs.cpp.registry import cpp_codecs
from wirelab.codecs.java.registry import JAVA as JAVA_CODECS
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.language_runner import LANGUAGES, choose, columns
from wirelab.codecs.pack import Pack
from wirelab.codecs.registry import codecs_for, skipped
from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema
from wirelab.model.suggestions import nearest

Progress = Callable[[str], None]
RUST, CPP, JAVA = LANGUAGES


class PeerPacks(Struct, frozen=True):
    """The built packs of a study."""

    packs: tuple[Pack, ...]

    @property
    def codecs(self) -> dict[str, Pack]:
        """The pack of each codec."""
        return {codec.name: pack for pack in self.packs for codec in pack.codecs}

    @property
    def toolchain(self) -> str:
        """The compilers."""
        return ", ".join(pack.toolchain for pack in self.packs)

    @property
    def path(self) -> str:
        """The paths of the packs as one text."""
        return ", ".join(str(pack.path) for pack in self.packs)


def choose_peer_codecs(schema: Schema, asked: Sequence[str], languages: Sequence[str]) -> tuple[str, ...]:
    """The codecs that words select in these languages. A name tells the language: none has two.

    Raises BadInput for an unknown language, and for a word that selects nothing.
    """
    for language in languages:
        if language not in LANGUAGES:
            raise BadInput(f"language '{language}'", "unknown", nearest(language, LANGUAGES))
    known: dict[str, list[str]] = {}
    left: dict[str, str] = {}
    for language in languages:
        known[language], reasons = _known(schema, language)
        left = {**reasons, **left}
    return tuple(dict.fromkeys(chain.from_iterable(choose(asked, known, left).values())))


def build_peer_packs(
    schema: Schema, codecs: Sequence[str], languages: Sequence[str], progress: Progress | None = None
) -> PeerPacks:
    """The packs of these codecs, from the cache or compiled now, side by side. Raises BadInput."""
    return PeerPacks(tuple(column.pack for column in columns(schema, "", codecs, languages, None, progress)))


@functools.cache
def language_of(codec: str) -> str:
    """The language of a codec, by its name."""
    if codec in {one.name for one in CPP_CODECS}:
        return CPP
    return JAVA if codec in {one.name for one in JAVA_CODECS} else RUST


def _known(schema: Schema, language: str) -> tuple[list[str], Mapping[str, str]]:
    if language == RUST:
        return [codec.name for codec in codecs_for(schema)], skipped(schema)
    fit, left = cpp_codecs(schema) if language == CPP else java_codecs(schema)
    return [codec.name for codec in fit], left
