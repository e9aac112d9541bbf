"""The costs of codecs for each kind of message: all messages of that kind as a corpus of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import TypeVar

import msgspec
import numpy as np
from msgspec import Struct

from wirelab.codecs.language_runner import Runner
from wirelab.codecs.memfd import in_memory
from wirelab.codecs.pack import CodecInfo
from wirelab.model.codec_result import HEADLINE, KindCost
from wirelab.model.estimate import Estimate
from wirelab.model.kinds import Kinds
from wirelab.stats.intervals import mean_interval

MOST_TIMED = 8
"""Kinds that are timed: those with most messages."""

Progress = Callable[[str], None]
T = TypeVar("T")


class _Line(Struct, frozen=True):
    """What is used of a line of `wirelab-codec bench`."""

    codec: str
    phase: str
    cpu_ns: tuple[float, ...]


def measure_kinds(
    runner: Runner,
    infos: Sequence[CodecInfo],
    sizes: Mapping[str, Sequence[int]],
    corpus: Sequence[bytes],
    kinds: Kinds,
    replicates: int,
    options: Sequence[str],
    seed: int,
    progress: Progress | None = None,
) -> dict[str, tuple[KindCost, ...]]:
    """By codec: the costs of each kind.

    `sizes` are of every message by codec, `corpus` its lines, and `options` those of `bench` but
    the seed. The kinds take turns in each replicate, in random order.
    """
    draw = random.Random(seed)
    counts = list(kinds.counts().values())
    timed = sorted(range(len(counts)), key=lambda kind: -counts[kind])[:MOST_TIMED] if infos else []
    samples: dict[tuple[str, int, str], list[tuple[float, ...]]] = {}
    for number in range(1, replicates + 1):
        for kind in draw.sample(timed, len(timed)):
            if progress is not None:
                progress(f"timing {kinds.names[kind]}, replicate {number} of {replicates}")
            with in_memory(b"\n".join(_of_kind(corpus, kinds, kind)) + b"\n") as path:
                words = (*options, "--seed", str(draw.getrandbits(63)))
                lines = runner.over(path).run("bench", infos, *words)
            for line in (msgspec.json.decode(text, type=_Line) for text in lines):
                if line.phase in HEADLINE:
                    samples.setdefault((line.codec, kind, line.phase), []).append(line.cpu_ns)
    return {
        info.name: tuple(
            KindCost(
                name,
                _size(_of_kind(sizes[info.name], kinds, kind)),
                *(_time(samples.get((info.name, kind, phase), [])) for phase in HEADLINE),
            )
            for kind, name in enumerate(kinds.names)
        )
        for info in infos
    }


def _of_kind(values: Sequence[T], kinds: Kinds, kind: int) -> list[T]:
    return list(compress(values, (one == kind for one in kinds.of)))


def _size(sizes: Sequence[int]) -> Estimate:
    mean = sum(sizes) / len(sizes)
    return Estimate(mean, min(sizes), max(sizes), "B", 1, len(sizes), "mean; smallest and largest message")


def _time(replicates: Sequence[tuple[float, ...]]) -> Estimate | None:
    return mean_interval([np.array(values) for values in replicates], "ns") if replicates else None
