"""The codecs of one language for a payload: its pack, and the program that runs it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from wirelab.codecs.build import build_pack, default_cache
from wirelab.codecs.pack import CodecInfo, Pack
from wirelab.codecs.registry import codecs_for, select, skipped
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.schema import Schema
from wirelab.model.suggestions import nearest
from wirelab.system import binaries
from wirelab.system.child_guard import tied

Progress = Callable[[str], None]
LANGUAGES = ("rust", "cpp", "java")
COUNTER = "libwirelab_alloc.so"


class Runner(Protocol):
    """Runs a command of `wirelab-codec` on codecs of one pack and corpus; answers JSON, one line
    each.
    """

    def run(self, command: str, infos: Sequence[CodecInfo], *options: str) -> list[bytes]: ...

    def over(self, corpus: str) -> Runner:
        """The same pack on another corpus."""
        ...

    def encoded(self, infos: Sequence[CodecInfo]) -> AbstractContextManager[Sequence[str]]:
        """The options that tell `wirelab-compress` where the messages of these codecs are."""
        ...


class Column(Struct, frozen=True):
    """The codecs that one language measures. `skipped`: codecs it cannot use here -> reason."""

    pack: Pack
    infos: tuple[CodecInfo, ...]
    runner: Runner
    skipped: Mapping[str, str] = {}


class LibraryRunner:
    """Runs `wirelab-codec` on a shared library of any language."""

    def __init__(self, pack: Pack, corpus: str) -> None:
        self.program, self.pack, self.corpus = binaries.find("wirelab-codec"), pack, corpus

    def run(self, command: str, infos: Sequence[CodecInfo], *options: str) -> list[bytes]:
        """The output lines of a command for codecs. Raises as `run_program` does."""
        words = [self.program, command, self.pack.path, self.corpus]
        return run_program(words, infos, options, binaries.find(COUNTER) if command == "memory" else "")

    def over(self, corpus: str) -> LibraryRunner:
        """The same pack on another corpus."""
        return LibraryRunner(self.pack, corpus)

    def encoded(self, infos: Sequence[CodecInfo]) -> AbstractContextManager[Sequence[str]]:
        """The pack, which encodes the messages wherever it is loaded."""
        del infos
        return nullcontext((self.pack.path, self.corpus))


def run_program(
    head: Sequence[str],
    infos: Sequence[CodecInfo],
    options: Sequence[str],
    preload: str = "",
    longest_s: float | None = None,
) -> list[bytes]:
    """The output lines of one of our programs for codecs.

    Raises BadInput, MeasurementFailed if a codec crashes, or TimeoutExpired after `longest_s`.

    `preload` is a library that is loaded into the process before all others.
    """
    names = ",".join(info.name for info in infos)
    done = subprocess.run(
        [*head, "--codec", names, *options],
        capture_output=True,
        check=False,
        timeout=longest_s,
        stdin=subprocess.DEVNULL,
        preexec_fn=tied(),
        env={**os.environ, "LD_PRELOAD": preload} if preload else None,
    )
    if done.returncode < 0:
        cause = signal.Signals(-done.returncode).name
        raise MeasurementFailed(f"codecs {names}", f"the process died of {cause}", "run them one at a time")
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        why = said.removeprefix("wirelab-codec: ").removeprefix("wirelab-compress: ")
        raise BadInput(f"codecs {names}", why, "check the corpus against the schema")
    return done.stdout.splitlines()


NO_REASONS: Mapping[str, str] = {}


def columns(
    schema: Schema,
    corpus: str,
    asked: Sequence[str],
    languages: Sequence[str],
    cache: Path | None = None,
    progress: Progress | None = None,
) -> list[Column]:
    """The packs of some languages, built or from the cache.

    Raises BadInput for an unknown language, for a word of `asked` that selects no codec in any of
    them, and if a compiler is missing.
    """
    for language in languages:
        if language not in LANGUAGES:
            raise BadInput(f"language '{language}'", "unknown", nearest(language, LANGUAGES))
    names = {language: _names(language, schema) for language in languages}
    chosen = choose(asked, names)
    make = {"rust": _rust, "cpp": _cpp, "java": _java}
    # The compilers of one language leave cores idle at their ends, which those of another use.
    with ThreadPoolExecutor(len(languages) or 1) as pool:
        waiting = [
            pool.submit(make[language], schema, corpus, chosen[language], cache, progress)
            for language in languages
            if chosen[language]
        ]
        return [one.result() for one in waiting]


def _names(language: str, schema: Schema) -> list[str]:
    if language == "rust":
        return [codec.name for codec in codecs_for(schema)] + list(skipped(schema))
    if language == "cpp":
        from wirelab.codecs.cpp.registry import CPP, MISSING  # noqa: PLC0415

        return [codec.name for codec in CPP] + list(MISSING)
    from wirelab.codecs.java.registry import java_codecs  # noqa: PLC0415

    fit, left = java_codecs(schema)
    return [codec.name for codec in fit] + list(left)


def choose(
    asked: Sequence[str], names: Mapping[str, Sequence[str]], left: Mapping[str, str] = NO_REASONS
) -> dict[str, tuple[str, ...]]:
    """The codecs that words select, by language, from the names that each language has.

    `left` are codecs that are left out, with the reason. Raises BadInput for a word that selects
    none in any language.
    """
    if not asked:
        return {language: select((), known) for language, known in names.items()}
    select(asked, [name for known in names.values() for name in known], left)
    meant = {lang: [word for word in asked if _stands_for_some(word, known)] for lang, known in names.items()}
    return {lang: select(words, names[lang]) if words else () for lang, words in meant.items()}


def _stands_for_some(word: str, known: Sequence[str]) -> bool:
    try:
        select([word], known)
    except BadInput:
        return False
    return True


def _rust(
    schema: Schema, corpus: str, names: tuple[str, ...], cache: Path | None, progress: Progress | None
) -> Column:
    left = {name: why for name, why in skipped(schema).items() if name in names}
    fit = tuple(name for name in names if name not in left)
    pack = build_pack(schema, cache, progress, fit or ("json",))
    return Column(pack, tuple(pack.codec(name) for name in fit), LibraryRunner(pack, corpus), left)


def _cpp(
    schema: Schema, corpus: str, names: tuple[str, ...], cache: Path | None, progress: Progress | None
) -> Column:
    from wirelab.codecs.cpp.build import build_cpp_pack  # noqa: PLC0415
    from wirelab.codecs.cpp.registry import cpp_codecs  # noqa: PLC0415

    fit, left = cpp_codecs(schema)
    specs = [codec for codec in fit if codec.name in names]
    pack = build_cpp_pack(schema, specs, cache or default_cache(), progress) if specs else _no_pack("cpp")
    infos = tuple(pack.codec(name) for name in names if name not in left)
    skipped = {name: why for name, why in left.items() if name in names}
    return Column(pack, infos, LibraryRunner(pack, corpus), skipped)


def _java(
    schema: Schema, corpus: str, names: tuple[str, ...], cache: Path | None, progress: Progress | None
) -> Column:
    from wirelab.codecs.java.bench import JavaBench  # noqa: PLC0415
    from wirelab.codecs.java.build import build_java_pack  # noqa: PLC0415
    from wirelab.codecs.java.registry import java_codecs  # noqa: PLC0415

    fit, left = java_codecs(schema)
    specs = [codec for codec in fit if codec.name in names]
    pack = build_java_pack(schema, specs, cache or default_cache(), progress) if specs else _no_pack("java")
    infos = tuple(pack.codec(name) for name in names if name not in left)
    skipped = {name: why for name, why in left.items() if name in names}
    return Column(pack, infos, JavaBench(pack, corpus, progress), skipped)


def _no_pack(language: str) -> Pack:
    """A pack without usable codecs, which runs no command."""
    return Pack("", "", "", (), language)
