"""The instrument of proos2020's serialization part: Protobuf and FlatBuffers in C++.

Both start from a JSON DOM, as in the paper, and from native objects.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from wirelab.codecs.bench import measure_codecs
from wirelab.codecs.language_runner import columns
from wirelab.codecs.memfd import in_memory
from wirelab.lab.host_cpu import CpuMonitor, taken_note
from wirelab.model.codec_result import CodecComparison
from wirelab.model.errors import MeasurementFailed
from wirelab.model.schema import Schema
from wirelab.model.units import show
from wirelab.schema import payload
from wirelab.schema.examples import vehicle_status
from wirelab.schema.inference import infer
from wirelab.studies.claims import Figure, check, measured
from wirelab.studies.published_tables import Drawing, InstrumentResult, Series, Table, marked
from wirelab.studies.study_file import texts
from wirelab.studies.toml_reader import read_table, seeded

PHASES = ("serialize", "deserialize")
TIMES = (*PHASES, "access", "populate", "encode", "decode", "convert")
WEIGHED = ("dom.protobuf", "dom.flatbuffers")
_ROUNDS = "100"

Progress = Callable[[str], None]


class _Sizes(Struct, frozen=True):
    codec: str
    bytes: tuple[int, ...]


class _Peak(Struct, frozen=True):
    peak_bytes: int


def reproduce(
    path: Path,
    out: Path,
    repeats: int = 5,
    seconds_per: float = 0.1,
    seed: int | None = None,
    progress: Progress | None = None,
) -> InstrumentResult:
    """Measure, write `proos2020-serialization.json` to `out`, and check the claims of the study's
    file.

    `seed` replaces the file's own. Raises BadInput where a C++ library is missing, and
    MeasurementFailed where a codec does not return the same message.
    """
    study = seeded(read_table(path), seed)
    watch = CpuMonitor()
    found, comparison = measure(study, repeats, seconds_per, progress)
    notes = list(filter(None, [taken_note(watch.elsewhere())]))
    checked = check(texts(path).claims, found)
    out.mkdir(parents=True, exist_ok=True)
    report = {"codecs": comparison, "claims": checked}
    (out / f"{study['name']}.json").write_text(json.dumps(msgspec.to_builtins(report), indent=1) + "\n")
    versions = [(result.name, result.version) for result in comparison.codecs]
    about = [("toolchain", comparison.toolchain), *versions]
    return InstrumentResult(checked, tables(found, study["published"], tuple(study["codecs"])), notes, about)


def measure(
    study: Mapping[str, Any], repeats: int, seconds_per: float, progress: Progress | None = None
) -> tuple[dict[str, Figure], CodecComparison]:
    """All figures by name, as the study file explains them, and the table of codecs."""
    messages = list(vehicle_status(study["messages"], study["seed"]))
    lines = [json.dumps(message, separators=(",", ":")).encode() for message in messages]
    whole = payload.parse(b"\n".join(lines), "vehicle-status.jsonl")
    schema = infer(whole)
    names: dict[str, str] = study["codecs"]
    found = {"bytes.json": Figure(float(np.mean([len(line) for line in lines])))}
    normal = payload.normalised(whole, schema).splitlines()
    with in_memory(b"\n".join(normal)) as corpus:
        found |= _sizes(schema, corpus, names, progress)
    with in_memory(b"\n".join(normal[: study["timed_messages"]])) as corpus:
        comparison = measure_codecs(
            corpus,
            schema,
            tuple(names.values()),
            repeats,
            study["seed"],
            languages=("cpp",),
            seconds_per=seconds_per,
            progress=progress,
        )
    found |= _times(comparison, names)
    for name in WEIGHED:
        if progress is not None:
            progress(f"measuring the memory of {names[name]}")
        found |= _peaks(schema, normal[: study["memory_messages"]], name.rpartition(".")[2], names[name])
    return found, comparison


def _sizes(
    schema: Schema, corpus: str, names: Mapping[str, str], progress: Progress | None
) -> dict[str, Figure]:
    """`bytes.protobuf`, `bytes.flatbuffers`: the mean over all messages."""
    formats = {names[f"native.{form}"]: form for form in ("protobuf", "flatbuffers")}
    (column,) = columns(schema, corpus, tuple(formats), ("cpp",), None, progress)
    lines = [msgspec.json.decode(text, type=_Sizes) for text in column.runner.run("sizes", column.infos)]
    return {f"bytes.{formats[line.codec]}": Figure(float(np.mean(line.bytes))) for line in lines}


def _times(comparison: CodecComparison, names: Mapping[str, str]) -> dict[str, Figure]:
    results = {result.name: result for result in comparison.codecs}
    failed = [f"{result.name}: {result.failed}" for result in comparison.codecs if result.failed]
    if failed or not comparison.same_content:
        raise MeasurementFailed("codecs", "; ".join(failed) or "read different fields", "report the schema")
    found: dict[str, Figure] = {}
    for name, codec in names.items():
        for timing in results[codec].timings:
            values = np.array([np.mean(replicate) for replicate in timing.replicates])
            if timing.phase in TIMES:
                found[f"{timing.phase}.{name}"] = measured(values)
    found["access.flatbuffers"] = found["access.native.flatbuffers"]
    return found


def _peaks(schema: Schema, lines: Sequence[bytes], form: str, codec: str) -> dict[str, Figure]:
    """`peak.PHASE.FORMAT`, one value for each message, and `follows.PHASE.FORMAT`."""
    sizes = np.array([len(line) for line in lines])
    peaks: dict[str, list[int]] = {phase: [] for phase in PHASES}
    for line in lines:
        with in_memory(line) as corpus:
            (column,) = columns(schema, corpus, (codec,), ("cpp",))
            for phase in PHASES:
                (text,) = column.runner.run("peak", column.infos, "--phase", phase, "--iterations", _ROUNDS)
                peaks[phase].append(msgspec.json.decode(text, type=_Peak).peak_bytes)
    found: dict[str, Figure] = {}
    for phase, values in peaks.items():
        taken = np.array(values, dtype=float)
        found[f"peak.{phase}.{form}"] = measured(taken, "B")
        order = np.argsort(sizes)
        half = len(order) // 2
        found[f"follows.{phase}.{form}"] = measured(
            taken[order[-half:]] - taken[order[:half]], "B", (-math.inf, math.inf)
        )
    return found


def tables(found: Mapping[str, Figure], published: Mapping[str, float], names: Sequence[str]) -> list[Table]:
    """Times, sizes and memory, as measured and as `published` gives them by the same names."""
    phases = [phase for phase in TIMES if any(f"{phase}.{name}" in found for name in names)]
    times = Table(
        "CPU time per message",
        phases,
        [(name, [_told(found, published, f"{phase}.{name}") for phase in phases]) for name in names],
        "Fig. 3a",
        "source and format",
        _drawn("CPU time", "ns", "source and format", names, PHASES, found, published),
    )
    sizes = [key for key in found if key.startswith("bytes.")]
    rows = [(key.partition(".")[2], [_told(found, published, key)]) for key in sizes]
    forms = [name.rpartition(".")[2] for name in WEIGHED]
    kinds = [f"{what}.{phase}" for what in ("peak", "follows") for phase in PHASES]
    peaks = Table(
        "Peak resident set of a process that has one message as a DOM and does one phase",
        ["serialize", "deserialize", "serialize, large less small", "deserialize, large less small"],
        [(form, [_told(found, published, f"{kind}.{form}") for kind in kinds]) for form in forms],
        "Fig. 5 and 6",
        "format",
        _drawn("peak resident set", "B", "format", forms, kinds[:2], found, published),
    )
    return [times, Table("Mean bytes of a message", ["bytes"], rows, "Fig. 3b", "format"), peaks]


def _told(found: Mapping[str, Figure], published: Mapping[str, float], key: str) -> str:
    if key not in found:
        return "-"
    figure = found[key]
    unit = figure.estimate.unit if figure.estimate else "B"
    return f"{figure} (published {show(published[key], unit)})" if key in published else str(figure)


def _drawn(
    title: str,
    unit: str,
    over: str,
    levels: Sequence[str],
    kinds: Sequence[str],
    found: Mapping[str, Figure],
    published: Mapping[str, float],
) -> Drawing:
    keys = {kind: [f"{kind}.{level}" for level in levels] for kind in kinds}
    series = [
        Series(kind, [found[key].estimate if key in found else None for key in own])
        for kind, own in keys.items()
    ]
    marks = [mark for own in keys.values() for mark in marked(published, own)]
    return Drawing(title, unit, over, levels, series, marks, joined=False)
