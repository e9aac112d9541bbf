"""Optional metrics of codecs: compression, batches, deltas, memory, latency of single calls."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from wirelab.codecs import merge_patch
from wirelab.codecs.language_runner import Runner, run_program
from wirelab.codecs.memfd import in_memory
from wirelab.codecs.pack import CodecInfo
from wirelab.model.codec_id import CodecId
from wirelab.model.codec_result import Allocated, Compressed, ExtraMetrics, Resident, SingleCall
from wirelab.model.errors import BadInput
from wirelab.model.estimate import Estimate
from wirelab.model.schema import Schema
from wirelab.model.suggestions import nearest
from wirelab.stats.intervals import mean_interval
from wirelab.system import binaries

Progress = Callable[[str], None]
METHODS = ("gzip", "zstd", "zstd-dict", "zstd-prev", merge_patch.METHOD)
PHASES = ("serialize", "deserialize")
RESIDENT_MESSAGES = 9
"""The number of messages for peak memory, from the smallest to the largest."""
RESIDENT_ROUNDS = 100
MAX_BATCH = 100_000
COMPRESS_SECONDS = 0.02
MAX_PATCHED = 1000
"""The number of messages that wirelab-compress measures."""


class MetricSelection(Struct, frozen=True):
    """What to measure. `methods` are of `METHODS`; `batches` are messages compressed together."""

    methods: tuple[str, ...] = ()
    batches: tuple[int, ...] = (1,)
    memory: bool = False
    single: bool = False

    def __bool__(self) -> bool:
        return bool(self.methods or self.memory or self.single)


def select_metrics(
    methods: Sequence[str], batches: Sequence[str], memory: bool, single: bool
) -> MetricSelection:
    """The extra metrics that the texts of a user select. Raises BadInput."""
    for text in batches:
        if not text.isdigit() or not 1 <= int(text) <= MAX_BATCH:
            raise BadInput(
                f"batch '{text}'", f"not a number from 1 to {MAX_BATCH:,}", "write it like 1,10,100"
            )
    for name in methods:
        if name not in (*METHODS, "all"):
            raise BadInput(f"compression '{name}'", "unknown", nearest(name, (*METHODS, "all")))
    chosen = METHODS if "all" in methods else tuple(dict.fromkeys(methods))
    return MetricSelection(chosen, tuple(dict.fromkeys(map(int, batches))) or (1,), memory, single)


def measure_extra_metrics(
    runner: Runner,
    infos: Sequence[CodecInfo],
    corpus: str,
    schema: Schema,
    more: MetricSelection,
    repeats: int,
    seed: int,
    progress: Progress | None = None,
) -> dict[str, ExtraMetrics]:
    """The selected metrics of each codec that passed the round trip."""
    if not more or not infos:
        return {}
    draw = random.Random(seed)
    compressed: dict[str, tuple[Compressed, ...]] = {}
    single: dict[str, tuple[SingleCall, ...]] = {}
    allocated: dict[str, tuple[Allocated, ...]] = {}
    resident: dict[str, tuple[Resident, ...]] = {}
    if more.methods:
        _tell(progress, "compressing messages")
        compressed = _compressed(runner, infos, corpus, schema, more, repeats, draw)
    if more.single:
        _tell(progress, "timing single calls")
        single = _single(runner, infos, repeats, draw)
    if more.memory:
        _tell(progress, "counting allocations and measuring memory")
        allocated = _allocated(runner, infos)
        resident = _resident(runner, infos, corpus)
    return {
        info.name: ExtraMetrics(
            compressed.get(info.name, ()),
            allocated.get(info.name, ()),
            resident.get(info.name, ()),
            single.get(info.name, ()),
        )
        for info in infos
    }


def _tell(progress: Progress | None, text: str) -> None:
    if progress is not None:
        progress(text)


class _Cell(Struct, frozen=True):
    codec: str
    method: str
    level: int
    batch: int
    first: int
    messages: int
    mean_bytes: float
    least_bytes: float
    most_bytes: float
    compress_ns: float | None
    decompress_ns: float | None
    dictionary_bytes: int
    trained_on: int
    skipped: str = ""


def _compressed(
    runner: Runner,
    infos: Sequence[CodecInfo],
    corpus: str,
    schema: Schema,
    more: MetricSelection,
    repeats: int,
    draw: random.Random,
) -> dict[str, tuple[Compressed, ...]]:
    methods = ["none", *(name for name in more.methods if name != merge_patch.METHOD)]
    options = ("--method", ",".join(methods), "--batch", ",".join(map(str, more.batches)))
    replicates: list[list[_Cell]] = []
    with runner.encoded(infos) as messages:
        for _ in range(repeats):
            more_options = ("--seconds-per", str(COMPRESS_SECONDS), "--seed", str(draw.getrandbits(63)))
            lines = run_program(
                [binaries.find("wirelab-compress"), *messages], infos, (*options, *more_options)
            )
            replicates.append([msgspec.json.decode(line, type=_Cell) for line in lines])
    found: dict[str, list[Compressed]] = {}
    for cells in zip(*replicates, strict=True):
        found.setdefault(cells[0].codec, []).append(_joined(cells))
    if merge_patch.METHOD in more.methods:
        first = {cell.codec: cell.first for cell in replicates[0]}
        texts = Path(corpus).read_bytes().splitlines()
        for line in runner.run("sizes", infos):
            one = msgspec.json.decode(line, type=_Sizes)
            part = slice(first[one.codec], first[one.codec] + MAX_PATCHED)
            messages = [json.loads(text) for text in texts[part]]
            found[one.codec].append(_patched(one.codec, schema, messages, one.bytes[part]))
    return {name: tuple(cells) for name, cells in found.items()}


def _joined(cells: Sequence[_Cell]) -> Compressed:
    """One cell over its replicates. Sizes are the same in all of them."""
    one = cells[0]
    if one.skipped:
        return Compressed(one.method, one.batch, one.level, skipped=one.skipped)
    return Compressed(
        one.method,
        one.batch,
        one.level,
        _sizes(one.mean_bytes, one.least_bytes, one.most_bytes, one.messages),
        _time([cell.compress_ns for cell in cells]),
        _time([cell.decompress_ns for cell in cells]),
        one.dictionary_bytes,
        one.trained_on,
    )


def _sizes(mean: float, least: float, most: float, number: int) -> Estimate:
    return Estimate(mean, least, most, "B", 1, number, "mean; least and most of a batch")


def _time(values: Sequence[float | None]) -> Estimate | None:
    known = [np.array([value]) for value in values if value is not None]
    return mean_interval(known, "ns") if known else None


class _Sizes(Struct, frozen=True):
    codec: str
    bytes: tuple[int, ...]


def _patched(codec: str, schema: Schema, messages: list[Any], whole: Sequence[int]) -> Compressed:
    why = merge_patch.obstacle(codec, schema, messages, whole)
    if why:
        return Compressed(merge_patch.METHOD, skipped=why)
    sizes = merge_patch.patch_sizes(CodecId.parse(codec).format, schema, messages)
    size = _sizes(float(np.mean(sizes)), min(sizes), max(sizes), len(sizes))
    return Compressed(merge_patch.METHOD, size=size)


class _Call(Struct, frozen=True):
    codec: str
    call: str
    calls: int
    p50_ns: float
    p99_ns: float
    clock_ns: float
    steady: bool = True


def _single(
    runner: Runner, infos: Sequence[CodecInfo], repeats: int, draw: random.Random
) -> dict[str, tuple[SingleCall, ...]]:
    replicates = [
        [
            msgspec.json.decode(line, type=_Call)
            for line in runner.run("singly", infos, "--seed", str(draw.getrandbits(63)))
        ]
        for _ in range(repeats)
    ]
    found: dict[str, list[SingleCall]] = {}
    for calls in zip(*replicates, strict=True):
        p50 = mean_interval([np.array([call.p50_ns]) for call in calls], "ns")
        p99 = mean_interval([np.array([call.p99_ns]) for call in calls], "ns")
        clock = float(np.median([call.clock_ns for call in calls]))
        steady = all(call.steady for call in calls)
        found.setdefault(calls[0].codec, []).append(SingleCall(calls[0].call, p50, p99, clock, steady))
    return {name: tuple(calls) for name, calls in found.items()}


class _Count(Struct, frozen=True):
    codec: str
    phase: str
    bytes: float
    allocations: float | None = None
    peak_bytes: int | None = None


def _allocated(runner: Runner, infos: Sequence[CodecInfo]) -> dict[str, tuple[Allocated, ...]]:
    """Count allocations in separate processes, because counting would slow the timed ones."""
    found: dict[str, list[Allocated]] = {}
    for line in runner.run("memory", infos):
        one = msgspec.json.decode(line, type=_Count)
        found.setdefault(one.codec, []).append(
            Allocated(one.phase, one.allocations, one.bytes, one.peak_bytes)
        )
    return {name: tuple(counts) for name, counts in found.items()}


class _Peak(Struct, frozen=True):
    peak_bytes: int


def _resident(runner: Runner, infos: Sequence[CodecInfo], corpus: str) -> dict[str, tuple[Resident, ...]]:
    """Peak memory as proos2020 measured it: one process per message and direction, by getrusage."""
    lines = sorted(Path(corpus).read_bytes().splitlines(), key=len)
    places = np.linspace(0, len(lines) - 1, min(RESIDENT_MESSAGES, len(lines))).round().astype(int)
    peaks: dict[tuple[str, str], list[int]] = {}
    for place in places:
        with in_memory(lines[place]) as path:
            alone = runner.over(path)
            # Before a codec is opened, all codecs have the same peak.
            loaded = _peak(alone, infos[0])
            for info in infos:
                peaks.setdefault((info.name, ""), []).append(loaded)
                for phase in PHASES:
                    options = ("--phase", phase, "--iterations", str(RESIDENT_ROUNDS))
                    peaks.setdefault((info.name, phase), []).append(_peak(alone, info, *options))
    return {
        info.name: tuple(Resident(phase, _spread(peaks[info.name, phase])) for phase in ("", *PHASES))
        for info in infos
    }


def _peak(runner: Runner, info: CodecInfo, *options: str) -> int:
    (line,) = runner.run("peak", [info], *options)
    return msgspec.json.decode(line, type=_Peak).peak_bytes


def _spread(peaks: Sequence[int]) -> Estimate:
    return Estimate(
        float(np.mean(peaks)), min(peaks), max(peaks), "B", len(peaks), len(peaks), "mean; least and most"
    )
