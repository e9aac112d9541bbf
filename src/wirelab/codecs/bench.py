"""Measure the codecs of a payload.

Each replicate is new processes. Within a process, codecs and phases run in random order.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from wirelab.codecs import timing
from wirelab.codecs.extra_metrics import MetricSelection, measure_extra_metrics
from wirelab.codecs.generator import schema_hash
from wirelab.codecs.kind_costs import measure_kinds
from wirelab.codecs.language_runner import Column, columns
from wirelab.codecs.pack import CodecInfo
from wirelab.codecs.timing import SAMPLES, Timing
from wirelab.model.codec_id import CodecId
from wirelab.model.codec_result import (
    CodecComparison,
    CodecResult,
    CodecSizes,
    ExtraMetrics,
    RoundTripLoss,
)
from wirelab.model.kinds import Kinds
from wirelab.model.schema import Schema

Progress = Callable[[str], None]
NO_EXTRA_METRICS = MetricSelection()


class _Verdict(Struct, frozen=True):
    codec: str
    messages: int
    checksum: str
    losses: tuple[RoundTripLoss, ...]
    failed: str = ""


class _Sizes(Struct, frozen=True):
    codec: str
    bytes: tuple[int, ...]


_Line = TypeVar("_Line", _Verdict, _Sizes, Timing)


def measure_codecs(
    corpus_path: str | Path,
    schema: Schema,
    codecs: Sequence[str] = (),
    repeats: int = 5,
    seed: int = 1,
    *,
    languages: Sequence[str] = ("rust",),
    seconds_per: float = 0.05,
    cache: Path | None = None,
    progress: Progress | None = None,
    more: MetricSelection = NO_EXTRA_METRICS,
    kinds: Kinds | None = None,
    precision: float | None = None,
) -> CodecComparison:
    """Build the schema's packs, verify the round trip of every message, and time every phase.

    `corpus_path` is JSON Lines as `wirelab.schema.payload.normalised` writes it. `codecs` are words
    of `registry.select`. Each of `repeats` processes spends `seconds_per` on each codec and phase;
    with `precision` a codec gets no more of them than `timing.time_codecs` says. `more` names extra
    metrics to measure. With `kinds`, each kind of message is measured by itself too. Raises
    BadInput for a schema, corpus or codec that cannot be used, MeasurementFailed if a codec
    crashes.
    """
    measured = columns(schema, str(corpus_path), codecs, languages, cache, progress)
    checked = [_Checked.of(column) for column in measured]
    draw = random.Random(seed)
    timed = timing.time_codecs(checked, repeats, seconds_per, draw, precision, progress)
    extras: dict[tuple[str, str], ExtraMetrics] = {}
    for one in checked:
        found = measure_extra_metrics(
            one.column.runner,
            one.sound,
            str(corpus_path),
            schema,
            more,
            repeats,
            draw.getrandbits(63),
            progress,
        )
        extras |= {(one.column.pack.language, name): extra for name, extra in found.items()}
        if kinds is not None and one.sound:
            lines = Path(corpus_path).read_bytes().splitlines()
            options = ("--seconds-per", str(seconds_per), "--samples", str(SAMPLES))
            words = (lines, kinds, repeats, options, draw.getrandbits(63), progress)
            costs = measure_kinds(one.column.runner, one.sound, one.sizes, *words)
            for name, own in costs.items():
                key = (one.column.pack.language, name)
                extras[key] = replace(extras.get(key, ExtraMetrics()), kinds=own)
    results = tuple(
        replace(result, extra_metrics=extras.get((result.language, result.name), ExtraMetrics()))
        for one, lines in zip(checked, timed, strict=True)
        for result in one.results(lines)
    )
    checksums = {one.verdicts[info.name].checksum for one in checked for info in one.sound}
    messages = max((verdict.messages for one in checked for verdict in one.verdicts.values()), default=0)
    toolchain = ", ".join(column.pack.toolchain for column in measured if column.infos)
    return CodecComparison(
        schema_hash(schema), toolchain, messages, repeats, seed, len(checksums) <= 1, results
    )


class _Checked(Struct, frozen=True):
    """A language's codecs after the round trip. `sound` are those that passed it."""

    column: Column
    verdicts: dict[str, _Verdict]
    sound: tuple[CodecInfo, ...]
    sizes: dict[str, tuple[int, ...]]

    @staticmethod
    def of(column: Column) -> _Checked:
        """Run the round trip and read the sizes."""
        verdicts = {line.codec: line for line in _lines(column, "verify", column.infos, _Verdict)}
        sound = tuple(info for info in column.infos if not verdicts[info.name].failed)
        sizes = {line.codec: line.bytes for line in _lines(column, "sizes", sound, _Sizes)}
        return _Checked(column, verdicts, sound, sizes)

    @property
    def language(self) -> str:
        """The language of the codecs."""
        return self.column.pack.language

    def bench(self, infos: Sequence[CodecInfo], seconds_per: float, seed: int) -> list[Timing]:
        """The times of these codecs in one process (in Java: one process per codec)."""
        options = ("--seconds-per", str(seconds_per), "--samples", str(SAMPLES), "--seed", str(seed))
        return _lines(self.column, "bench", infos, Timing, *options)

    def results(self, timed: Sequence[Timing]) -> list[CodecResult]:
        """All codecs, skipped ones last."""
        language = self.language
        found = [
            _result(info, language, self.verdicts[info.name], self.sizes.get(info.name, ()), timed)
            for info in self.column.infos
        ]
        for name, why in self.column.skipped.items():
            id_ = CodecId.parse(name)
            found.append(CodecResult(name, id_.format, id_.library, "", language, skipped=why))
        return found


def _lines(
    column: Column, command: str, infos: Sequence[CodecInfo], line: type[_Line], *options: str
) -> list[_Line]:
    if not infos:
        return []
    answers = column.runner.run(command, infos, *options)
    return [msgspec.json.decode(text, type=line) for text in answers]


def _result(
    info: CodecInfo, language: str, verdict: _Verdict, sizes: tuple[int, ...], lines: Sequence[Timing]
) -> CodecResult:
    totals = timing.totals(info, lines)
    return CodecResult(
        info.name,
        info.format,
        info.library,
        info.version,
        language,
        options=info.options,
        self_delimiting=info.self_delimiting,
        losses=info.losses,
        round_trip=verdict.losses,
        sizes=CodecSizes(sizes),
        timings=timing.timings(info, lines),
        total=timing.total(totals),
        totals=tuple(float(values.mean()) for values in totals),
        failed=verdict.failed,
        notes=timing.unsteady(info, lines),
    )
