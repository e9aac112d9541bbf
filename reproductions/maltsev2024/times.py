"""maltsev2024, Tables 1 to 4: what 14 formats take in Java, epoch by epoch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from wirelab.codecs.java.bench import JavaBench
from wirelab.codecs.pack import CodecInfo
from wirelab.model.errors import MeasurementFailed
from wirelab.studies.claims import Figure, measured
from wirelab_reproductions.maltsev2024.messages import EPOCHS, HALF

PHASES = ("serialize", "deserialize", "access")
SIZES = {"small": range(HALF), "large": range(HALF, EPOCHS)}

Round = dict[str, dict[str, tuple[float, ...]]]
"""CPU ns per message in one replicate: by format and phase, one value per epoch."""


class Times(Struct, frozen=True):
    """CPU ns per message: by format, phase and replicate, one value per epoch.

    `bytes` are means by format and epoch.
    """

    ns: dict[str, dict[str, list[tuple[float, ...]]]]
    bytes: dict[str, tuple[float, ...]]


class _Timing(Struct, frozen=True):
    codec: str
    phase: str
    group: int
    cpu_ns: tuple[float, ...]


class _Sizes(Struct, frozen=True):
    codec: str
    bytes: tuple[int, ...]


class _Verdict(Struct, frozen=True):
    codec: str
    checksum: str
    failed: str = ""


def check_content(bench: JavaBench, infos: Sequence[CodecInfo]) -> None:
    """Whether every format brings the same messages back. Raises MeasurementFailed."""
    verdicts = [msgspec.json.decode(line, type=_Verdict) for line in bench.run("verify", infos)]
    for verdict in verdicts:
        if verdict.failed or verdict.checksum != verdicts[0].checksum:
            raise MeasurementFailed(
                f"codec {verdict.codec}", verdict.failed or "reads other fields than the rest"
            )


def measure_round(
    bench: JavaBench, infos: Sequence[CodecInfo], names: Mapping[str, str], seconds_per: float, seed: int
) -> Round:
    """One replicate: a process for each codec, `seconds_per` on each of its phases and epochs.

    `names` are formats by codec.
    """
    words = {"--seconds-per": seconds_per, "--samples": 3, "--seed": seed, "--groups": EPOCHS}
    flat = [str(word) for pair in words.items() for word in pair]
    lines = [
        msgspec.json.decode(line, type=_Timing) for line in bench.run("bench", infos, *flat, phases=PHASES)
    ]
    found: dict[str, dict[str, list[float]]] = {}
    for line in sorted(lines, key=lambda line: line.group):
        phases = found.setdefault(names[line.codec], {})
        phases.setdefault(line.phase, []).append(float(np.median(line.cpu_ns)))
    return {name: {phase: tuple(ns) for phase, ns in phases.items()} for name, phases in found.items()}


def measure_sizes(
    bench: JavaBench, infos: Sequence[CodecInfo], names: Mapping[str, str]
) -> dict[str, tuple[float, ...]]:
    """Mean bytes of a message by format, one value per epoch."""
    lines = [msgspec.json.decode(line, type=_Sizes) for line in bench.run("sizes", infos)]
    return {
        names[line.codec]: tuple(float(part.mean()) for part in np.split(np.array(line.bytes), EPOCHS))
        for line in lines
    }


def together(rounds: Sequence[Round], sizes: dict[str, tuple[float, ...]]) -> Times:
    """All replicates as one."""
    return Times(
        {
            name: {phase: [one[name][phase] for one in rounds] for phase in phases}
            for name, phases in rounds[0].items()
        },
        sizes,
    )


def figures(times: Times) -> dict[str, Figure]:
    """All figures by name, for the claims.

    `serialize.small.avro`: median over epochs 1 to 15 (`large`: 16 to 30), in ns; so `deserialize`
    and `access`. `reduction.serialize.small.avro`: by the paper's equation (1), as a share of
    JSON's median, positive where faster. `longest.serialize.small.avro`: the largest of the epochs.
    `bytes.small.avro`: mean bytes.
    """
    found: dict[str, Figure] = {}
    for name, phases in times.ns.items():
        for phase, replicates in phases.items():
            for part, epochs in SIZES.items():
                inside = np.array(replicates)[:, epochs.start : epochs.stop]
                found[f"{phase}.{part}.{name}"] = measured(np.median(inside, axis=1))
                found[f"longest.{phase}.{part}.{name}"] = measured(inside.max(axis=1))
    for key in [key for key in found if key.startswith(("serialize.", "deserialize."))]:
        phase, part, name = key.split(".")
        found[f"reduction.{key}"] = reduction(found[key], found[f"{phase}.{part}.json"])
    for name, sizes in times.bytes.items():
        for part, epochs in SIZES.items():
            found[f"bytes.{part}.{name}"] = Figure(float(np.mean(sizes[epochs.start : epochs.stop])))
    return found


def reduction(own: Figure, json: Figure) -> Figure:
    """The paper's R, equation (1), as a share and positive where less."""
    saved = 1 - np.asarray(own.values) / np.asarray(json.values)
    return measured(saved, "fraction", (-math.inf, 1.0))
