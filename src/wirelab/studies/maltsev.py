"""maltsev2024, Tables 1 to 4 again: 14 formats in Java on messages that grow over 30 epochs, and the paper's claims checked."""

from __future__ import annotations

import json
import os
import random
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wirelab.codecs.build import default_cache
from wirelab.codecs.java.bench import JavaBench
from wirelab.codecs.java.build import build_java_pack
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.pack import CodecInfo
from wirelab.model.errors import MeasurementFailed
from wirelab.schema import payload
from wirelab.schema.example_growing import EPOCHS, HALF, growing
from wirelab.schema.infer import infer
from wirelab.stats.intervals import mean_interval
from wirelab.studies.claims import Checked, Claim, Figure, check

STUDY = Path(__file__).resolve().parents[3] / "studies" / "maltsev2024.toml"
PHASES = ("serialize", "deserialize", "access")
SIZES = {"small": range(HALF), "large": range(HALF, EPOCHS)}

Progress = Callable[[str], None]


class Times(Struct, frozen=True):
    """CPU ns per message: by format, phase and replicate, one value per epoch. `bytes` are means by format and epoch."""

    ns: dict[str, dict[str, list[tuple[float, ...]]]]
    bytes: dict[str, tuple[float, ...]]
    losses: dict[str, tuple[str, ...]]


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


def reproduce_maltsev(
    out: Path | None, repeats: int = 5, seconds_per: float = 0.03, progress: Progress | None = None
) -> list[Checked]:
    """Measure, write `maltsev2024.json` and `maltsev2024.md` to `out`, and check the claims of studies/maltsev2024.toml.

    Each of `repeats` processes spends `seconds_per` on each format, phase and epoch. Raises BadInput where Java is missing.
    """
    study = tomllib.loads(STUDY.read_text())
    times = measure(study, repeats, seconds_per, progress)
    found = figures(times)
    checked = check(msgspec.convert(study["claim"], list[Claim]), found)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        report = {"times": times, "claims": checked}
        (out / "maltsev2024.json").write_text(json.dumps(msgspec.to_builtins(report), indent=1) + "\n")
        (out / "maltsev2024.md").write_text(markdown(study, found, checked))
    return checked


def measure(
    study: Mapping[str, Any], repeats: int, seconds_per: float, progress: Progress | None = None
) -> Times:
    """The times of the study's `codecs` (format -> Java codec) on its `messages` per epoch, from its `seed`."""
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in growing(study["messages"], study["seed"]))
    corpus = payload.parse(lines, "growing.jsonl")
    schema = infer(corpus)
    names: dict[str, str] = {codec: name for name, codec in study["codecs"].items()}
    specs = [spec for spec in java_codecs(schema)[0] if spec.name in names]
    pack = build_java_pack(schema, specs, default_cache(), progress)
    draw = random.Random(study["seed"])
    with os.fdopen(os.memfd_create("corpus"), "wb") as memory:
        memory.write(payload.normalised(corpus, schema))
        memory.flush()
        bench = JavaBench(pack, f"/proc/{os.getpid()}/fd/{memory.fileno()}")
        _same_content(bench, pack.codecs)
        rounds = []
        for number in range(1, repeats + 1):
            if progress is not None:
                progress(f"timing {len(specs)} formats over {EPOCHS} epochs, replicate {number} of {repeats}")
            rounds.append(_round(bench, pack.codecs, seconds_per, draw.getrandbits(63)))
        sizes = [msgspec.json.decode(line, type=_Sizes) for line in bench.run("sizes", pack.codecs)]
    ns = {
        name: {
            phase: [one[codec, phase] for one in rounds] for phase in PHASES if (codec, phase) in rounds[0]
        }
        for codec, name in names.items()
    }
    per_epoch = {
        names[line.codec]: tuple(float(part.mean()) for part in np.split(np.array(line.bytes), EPOCHS))
        for line in sizes
    }
    return Times(ns, per_epoch, {names[info.name]: info.losses for info in pack.codecs})


def _same_content(bench: JavaBench, infos: Sequence[CodecInfo]) -> None:
    verdicts = [msgspec.json.decode(line, type=_Verdict) for line in bench.run("verify", infos)]
    for verdict in verdicts:
        if verdict.failed or verdict.checksum != verdicts[0].checksum:
            raise MeasurementFailed(
                f"codec {verdict.codec}", verdict.failed or "reads other fields than the rest"
            )


def _round(
    bench: JavaBench, infos: Sequence[CodecInfo], seconds_per: float, seed: int
) -> dict[tuple[str, str], tuple[float, ...]]:
    words = (
        "--seconds-per",
        str(seconds_per),
        "--samples",
        "3",
        "--seed",
        str(seed),
        "--groups",
        str(EPOCHS),
    )
    lines = [
        msgspec.json.decode(line, type=_Timing) for line in bench.run("bench", infos, *words, phases=PHASES)
    ]
    found: dict[tuple[str, str], list[float]] = {}
    for line in sorted(lines, key=lambda line: line.group):
        found.setdefault((line.codec, line.phase), []).append(float(np.median(line.cpu_ns)))
    return {key: tuple(values) for key, values in found.items()}


def figures(times: Times) -> dict[str, Figure]:
    """All figures by name, for the claims.

    `serialize.small.avro`: median over epochs 1 to 15 (`large`: 16 to 30), in ns; so `deserialize` and `access`.
    `reduction.serialize.small.avro`: by the paper's equation (1), as a share of JSON's median, positive where faster.
    `longest.serialize.small.avro`: the largest of the epochs. `bytes.small.avro`: mean bytes.
    """
    found: dict[str, Figure] = {}
    for name, phases in times.ns.items():
        for phase, replicates in phases.items():
            for part, epochs in SIZES.items():
                inside = np.array(replicates)[:, epochs.start : epochs.stop]
                found[f"{phase}.{part}.{name}"] = _figure(np.median(inside, axis=1))
                found[f"longest.{phase}.{part}.{name}"] = _figure(inside.max(axis=1))
    for key in [key for key in found if key.startswith(("serialize.", "deserialize."))]:
        phase, part, name = key.split(".")
        json_s = np.asarray(found[f"{phase}.{part}.json"].values)
        found[f"reduction.{key}"] = _figure(1 - np.asarray(found[key].values) / json_s, "fraction")
    for name, sizes in times.bytes.items():
        for part, epochs in SIZES.items():
            found[f"bytes.{part}.{name}"] = Figure(float(np.mean(sizes[epochs.start : epochs.stop])))
    return found


def _figure(values: NDArray[np.float64], unit: str = "ns") -> Figure:
    return Figure(values, mean_interval([np.atleast_1d(value) for value in values], unit))


def markdown(study: Mapping[str, Any], found: Mapping[str, Figure], checked: Sequence[Checked]) -> str:
    """Tables 1 to 4 as measured and as published, and the claims."""
    lines = ["# maltsev2024, serialization", ""]
    for title, phase, part in (
        ("Table 1: serializing, epochs 1 to 15", "serialize", "small"),
        ("Table 2: serializing, epochs 16 to 30", "serialize", "large"),
        ("Table 3: deserializing, epochs 1 to 15", "deserialize", "small"),
        ("Table 4: deserializing, epochs 16 to 30", "deserialize", "large"),
    ):
        published = study["published"][phase][part]
        lines += [
            f"## {title}",
            "",
            "| format | median | R | published us | published R | mean bytes |",
            "|---|---:|---:|---:|---:|---:|",
        ]
        order = sorted(published, key=lambda name: float(np.mean(found[f"{phase}.{part}.{name}"].values)))
        for name in order:
            key, (time, share) = f"{phase}.{part}.{name}", published[name]
            reduction = float(np.mean(found[f"reduction.{key}"].values))
            lines.append(
                f"| {name} | {found[key]} | {100 * reduction:.1f} % | {time} | {share} % | {found[f'bytes.{part}.{name}']} |"
            )
        lines.append("")
    lines += ["| opened, not read | epochs 1 to 15 | epochs 16 to 30 |", "|---|---:|---:|"]
    lines += [
        f"| {name} | {found[f'access.small.{name}']} | {found[f'access.large.{name}']} |"
        for name in study["codecs"]
        if f"access.small.{name}" in found
    ]
    lines += ["", "| claim | verdict | here | published |", "|---|---|---|---|"]
    lines += [f"| {c.text} | {c.verdict} | {c.ours} | {c.published} |" for c in checked]
    return "\n".join(lines) + "\n"
