"""Measuring the codecs of a payload: replicates are new processes, in which codecs and phases take turns at random."""

from __future__ import annotations

import random
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from msgspec import Struct

from wirelab.codecs.build import build_pack
from wirelab.codecs.pack import CodecInfo, Pack
from wirelab.codecs.registry import codecs_for, select
from wirelab.lab import binaries
from wirelab.lab.lifeline import tied
from wirelab.model.codec_result import (
    CodecComparison,
    CodecResult,
    CodecSizes,
    CodecTiming,
    RoundTripLoss,
)
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.estimate import Estimate
from wirelab.model.schema import Schema
from wirelab.stats.intervals import mean_interval

Progress = Callable[[str], None]
TOTAL = ("serialize", "deserialize")
SAMPLES = 10


class _Verdict(Struct, frozen=True):
    codec: str
    messages: int
    checksum: str
    losses: tuple[RoundTripLoss, ...]
    failed: str = ""


class _Sizes(Struct, frozen=True):
    codec: str
    bytes: tuple[int, ...]


class _Timing(Struct, frozen=True):
    codec: str
    phase: str
    checksum: str
    iterations: int
    cpu_ns: tuple[float, ...]
    wall_ns: tuple[float, ...]


_Line = TypeVar("_Line", _Verdict, _Sizes, _Timing)


def measure_codecs(
    corpus_path: str | Path,
    schema: Schema,
    codecs: Sequence[str] = (),
    repeats: int = 5,
    seed: int = 1,
    *,
    seconds_per: float = 0.1,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> CodecComparison:
    """Build the schema's pack, check that every message comes back, and time every phase of every codec.

    `corpus_path` is JSON Lines as `wirelab.schema.payload.normalised` writes it. `codecs` are words of
    `registry.select`. Each of `repeats` processes spends `seconds_per` on each codec and phase.
    Raises BadInput for a schema, corpus or codec that cannot be used, MeasurementFailed where a codec crashes.
    """
    names = select(codecs, [codec.name for codec in codecs_for(schema)])
    pack = build_pack(schema, cache, progress, names)
    infos = [pack.codec(name) for name in names]
    bench = _Bench(pack, str(corpus_path))
    verdicts = {line.codec: line for line in bench.run("verify", infos, _Verdict)}
    sound = [info for info in infos if not verdicts[info.name].failed]
    sizes = {line.codec: line.bytes for line in bench.run("sizes", sound, _Sizes)} if sound else {}
    timings: list[list[_Timing]] = []
    draw = random.Random(seed)
    for number in range(1, repeats + 1 if sound else 1):
        if progress is not None:
            progress(f"timing {len(sound)} codecs, replicate {number} of {repeats}")
        options = (
            "--seconds-per",
            str(seconds_per),
            "--samples",
            str(SAMPLES),
            "--seed",
            str(draw.getrandbits(63)),
        )
        timings.append(bench.run("bench", sound, _Timing, *options))
    results = tuple(_result(info, verdicts[info.name], sizes.get(info.name, ()), timings) for info in infos)
    checksums = {verdicts[info.name].checksum for info in sound}
    messages = next(iter(verdicts.values())).messages
    return CodecComparison(pack.schema, pack.toolchain, messages, repeats, seed, len(checksums) <= 1, results)


class _Bench:
    """Runs `wirelab-codec` on one pack and corpus."""

    def __init__(self, pack: Pack, corpus: str) -> None:
        self.program, self.pack, self.corpus = binaries.find("wirelab-codec"), pack.path, corpus

    def run(self, command: str, infos: Sequence[CodecInfo], line: type[_Line], *options: str) -> list[_Line]:
        names = ",".join(info.name for info in infos)
        words = [self.program, command, self.pack, self.corpus, "--codec", names, *options]
        done = subprocess.run(
            words, capture_output=True, check=False, stdin=subprocess.DEVNULL, preexec_fn=tied()
        )
        if done.returncode < 0:
            cause = signal.Signals(-done.returncode).name
            raise MeasurementFailed(
                f"codecs {names}", f"the process died of {cause}", "run them one at a time"
            )
        if done.returncode != 0:
            why = done.stderr.decode(errors="replace").strip().removeprefix("wirelab-codec: ")
            raise BadInput(f"codecs {names}", why, "check the corpus against the schema")
        return [msgspec.json.decode(text, type=line) for text in done.stdout.splitlines()]


def _result(
    info: CodecInfo, verdict: _Verdict, sizes: tuple[int, ...], replicates: Sequence[Sequence[_Timing]]
) -> CodecResult:
    cells = {
        phase: [
            line for lines in replicates for line in lines if (line.codec, line.phase) == (info.name, phase)
        ]
        for phase in info.phases
    }
    return CodecResult(
        info.name,
        info.format,
        info.library,
        info.version,
        options=info.options,
        self_delimiting=info.self_delimiting,
        losses=info.losses,
        round_trip=verdict.losses,
        sizes=CodecSizes(sizes),
        timings=tuple(_timing(phase, lines) for phase, lines in cells.items() if lines),
        total=_total([cells[phase] for phase in TOTAL]),
        failed=verdict.failed,
    )


def _timing(phase: str, lines: Sequence[_Timing]) -> CodecTiming:
    wall = np.concatenate([np.array(line.wall_ns) for line in lines])
    cpu = np.concatenate([np.array(line.cpu_ns) for line in lines])
    time = mean_interval([np.array(line.cpu_ns) for line in lines], "ns")
    return CodecTiming(phase, time, tuple(line.cpu_ns for line in lines), float(np.median(wall / cpu)))


def _total(cells: Sequence[Sequence[_Timing]]) -> Estimate | None:
    """The sum of phases, replicate by replicate, so that what a process has in common stays in the interval."""
    if not all(cells):
        return None
    sums = [sum(np.array(line.cpu_ns) for line in lines) for lines in zip(*cells, strict=True)]
    return mean_interval([np.asarray(values) for values in sums], "ns")
