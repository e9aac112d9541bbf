"""Times of codecs by phase, in processes: as many as the precision that was asked for needs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wirelab.codecs.pack import CodecInfo
from wirelab.model.codec_result import HEADLINE, CodecTiming
from wirelab.model.estimate import Estimate
from wirelab.stats.intervals import mean_interval

Progress = Callable[[str], None]
Floats = NDArray[np.float64]
SAMPLES = 10
LEAST = 3
"""Processes of a codec before its interval says whether it needs more."""
TITLES = {"rust": "Rust", "cpp": "C++", "java": "Java"}


class Timing(Struct, frozen=True):
    """What one process says about one codec and phase."""

    codec: str
    phase: str
    checksum: str
    iterations: int
    cpu_ns: tuple[float, ...]
    wall_ns: tuple[float, ...]
    steady: bool = True
    warmup_s: float = 0.0


class Timed(Protocol):
    """The codecs of one language that passed the round trip."""

    @property
    def language(self) -> str: ...
    @property
    def sound(self) -> tuple[CodecInfo, ...]: ...

    def bench(self, infos: Sequence[CodecInfo], seconds_per: float, seed: int) -> list[Timing]:
        """The times of these codecs in one process (in Java: one process per codec)."""
        ...


def time_codecs(
    languages: Sequence[Timed],
    most: int,
    seconds_per: float,
    draw: random.Random,
    precision: float | None = None,
    progress: Progress | None = None,
) -> list[list[Timing]]:
    """The lines of every process, per language.

    A codec gets `most` processes. With `precision` it gets no more from LEAST on, once the interval
    of serialize + deserialize reaches at most that fraction of it to each side.
    """
    lines: list[list[Timing]] = [[] for _ in languages]
    for number in range(1, most + 1):
        # Languages take turns too, so that drift affects all of them.
        for index in draw.sample(range(len(languages)), len(languages)):
            one = languages[index]
            infos = list(one.sound)
            if precision is not None and number > LEAST:
                infos = [info for info in infos if not is_precise(lines[index], info, precision)]
            seed = draw.getrandbits(63)
            if not infos:
                continue
            if progress is not None:
                what = f"{len(infos)} of {len(one.sound)} codecs in {TITLES[one.language]}"
                progress(f"timing {what}, replicate {number} of at most {most}")
            lines[index] += one.bench(infos, seconds_per, seed)
    return lines


def is_precise(lines: Sequence[Timing], info: CodecInfo, precision: float) -> bool:
    """Whether the interval of a codec's total is narrow enough."""
    values = totals(info, lines)
    if len(values) < 2:
        return False
    total = mean_interval(values, "ns")
    return (total.high - total.low) / 2 <= precision * total.value


def timings(info: CodecInfo, lines: Sequence[Timing]) -> tuple[CodecTiming, ...]:
    """The times of each phase of a codec over its processes."""
    cells = {phase: _of(info, phase, lines) for phase in info.phases}
    return tuple(_timing(phase, own) for phase, own in cells.items() if own)


def totals(info: CodecInfo, lines: Sequence[Timing]) -> list[Floats]:
    """The sum of phases per process: its interval includes what phases of a process share."""
    cells = [_of(info, phase, lines) for phase in HEADLINE]
    return [np.sum([np.array(line.cpu_ns) for line in each], axis=0) for each in zip(*cells, strict=True)]


def total(values: Sequence[Floats]) -> Estimate | None:
    """Serialize + deserialize; None for a codec without times."""
    return mean_interval(values, "ns") if values else None


def unsteady(info: CodecInfo, lines: Sequence[Timing]) -> tuple[str, ...]:
    """A note if JVM processes had not reached a steady state when they were timed."""
    own = [line for line in lines if line.codec == info.name]
    moving = len({line.cpu_ns for line in own if not line.steady})
    longest = max((line.warmup_s for line in own), default=0.0)
    return (f"no steady state within {longest:.0f} s in {moving} of {len(own)} series",) if moving else ()


def _of(info: CodecInfo, phase: str, lines: Sequence[Timing]) -> list[Timing]:
    return [line for line in lines if (line.codec, line.phase) == (info.name, phase)]


def _timing(phase: str, lines: Sequence[Timing]) -> CodecTiming:
    wall = np.concatenate([np.array(line.wall_ns) for line in lines])
    cpu = np.concatenate([np.array(line.cpu_ns) for line in lines])
    time = mean_interval([np.array(line.cpu_ns) for line in lines], "ns")
    return CodecTiming(phase, time, tuple(line.cpu_ns for line in lines), float(np.median(wall / cpu)))
