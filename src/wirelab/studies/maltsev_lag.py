"""maltsev2024, Table 5: the lag of messages that three actors in a JVM hand on through Kafka, by format."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from wirelab.codecs.java import toolchain
from wirelab.codecs.pack import Pack
from wirelab.lab import servers
from wirelab.lab.actors import Run
from wirelab.lab.binaries import find
from wirelab.lab.lifeline import tied, uninterrupted
from wirelab.model.errors import MeasurementFailed
from wirelab.studies.claims import Figure, measured
from wirelab.studies.maltsev_times import reduction
from wirelab.workloads import epochs

HEAP = "-Xmx1g"
NETWORKS = {"lag": "server", "linked": "device"}
"""The first word of a figure, and where the actors are: on Kafka's own host, or behind the study's link."""


class Plan(Struct, frozen=True):
    """How the actors work: `each` is the paper's 2000, over `last` epochs; `linked_each` behind the `link`, 0 for not at all."""

    each: int
    linked_each: int
    last: int
    link: str
    warmup: int
    repeats: int

    def number(self, network: str) -> int:
        """Messages of the first epoch."""
        return self.each if network == "lag" else self.linked_each


class Lag(Struct, frozen=True):
    """One run's lags in ns over all messages, and the median of each epoch."""

    mean: float
    median: float
    least: float
    most: float
    epochs: tuple[float, ...]


class Subject(Struct, frozen=True):
    """What is sent: a pack, messages of as many equal parts as there are epochs, and the codec of each format."""

    pack: Pack
    corpus: Path
    codecs: Mapping[str, str]


Key = tuple[int, str, str]
"""Replicate, network, format."""


def check() -> None:
    """Whether Kafka is here. Raises BadInput with the line that installs it."""
    servers.check("kafka", "kafka")


def keys(plan: Plan, formats: Sequence[str], seed: int) -> list[Key]:
    """Every run, replicate after replicate, shuffled in each."""
    draw = random.Random(seed)
    found: list[Key] = []
    for replicate in range(1, plan.repeats + 1):
        networks = [network for network in NETWORKS if plan.number(network)]
        block = [(replicate, network, name) for network in networks for name in formats]
        draw.shuffle(block)
        found += block
    return found


def measure(
    plan: Plan, subject: Subject, runs: Sequence[Key], seed: int, tell: Callable[[str], None]
) -> Iterator[tuple[Key, Lag]]:
    """Run the actors, one run after another with one Kafka, and yield each that is done. Raises BadInput, MeasurementFailed."""
    with tempfile.TemporaryDirectory(prefix="wirelab-") as name:
        folder = Path(name)
        argvs = [_argv(plan, subject, key, folder) for key in runs]
        written = [Run(NETWORKS[key[1]], argv) for key, argv in zip(runs, argvs, strict=True)]
        (folder / "actors.json").write_bytes(msgspec.json.encode(written))
        hosts = [{"name": "device", "link": plan.link}, {"name": "server", "link": "ideal"}]
        spec = {"seed": seed, "realtime": "auto", "hosts": hosts, "accounting": str(folder / "link.json")}
        (folder / "lab.json").write_text(json.dumps(spec))
        for number in _over(folder, plan.last, [_title(key, plan) for key in runs], tell):
            lags = _file(folder, runs[number])
            yield runs[number], summary(np.fromfile(lags, "<i8").astype(float), plan, runs[number][1])
            lags.unlink()


def _title(key: Key, plan: Plan) -> str:
    where = "on one host" if key[1] == "lag" else f"behind {plan.link}"
    return f"lag of {key[2]} through Kafka {where}, replicate {key[0]} of {plan.repeats}"


def _file(folder: Path, key: Key) -> Path:
    return folder / ("-".join(map(str, key)) + ".lags")


def _argv(plan: Plan, subject: Subject, key: Key, folder: Path) -> list[str]:
    own = toolchain.module("actors")
    places = [
        str(subject.pack.path),
        str(own / "wirelab-actors.jar"),
        f"{own / 'lib'}/*",
        toolchain.class_path("codecs"),
    ]
    options = {
        "--codec": subject.codecs[key[2]],
        "--epochs": ",".join(map(str, epochs.numbers(plan.number(key[1]), plan.last))),
        "--warmup": plan.warmup,
        "--topics": "-".join(map(str, key)),
        "--lags": _file(folder, key),
    }
    return [
        toolchain.require("java"),
        HEAP,
        "-XX:-UsePerfData",
        "-Dorg.apache.avro.SERIALIZABLE_PACKAGES=wirelab.pack.av",
        "-cp",
        ":".join(places),
        "wirelab.actors.Main",
        str(subject.corpus),
        *(str(word) for pair in options.items() for word in pair),
    ]


def _over(folder: Path, last: int, titles: Sequence[str], tell: Callable[[str], None]) -> Iterator[int]:
    """The number of each run that is over. Raises MeasurementFailed with what the lab said."""
    argv = [find("wirelab-link"), "lab", str(folder / "lab.json"), "--"]
    argv += [sys.executable, "-m", "wirelab.lab.actors", str(folder)]
    with (folder / "lab.log").open("wb") as log, uninterrupted():
        lab = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            preexec_fn=tied(),  # noqa: PLW1509  (no lock is taken there)
        )
    try:
        assert lab.stdout is not None
        for line in lab.stdout:
            number, _, told = line.decode().partition(" ")
            epoch = json.loads(told)["epoch"]
            if epoch == 1:
                tell(titles[int(number)])
            if epoch == last:
                yield int(number)
        if lab.wait() != 0:
            said = (folder / "lab.log").read_text(errors="replace").strip().splitlines()
            raise MeasurementFailed("the actors", said[-1] if said else f"ended with {lab.returncode}")
    finally:
        lab.kill()
        lab.wait()


def summary(lags: np.ndarray[tuple[int], np.dtype[np.float64]], plan: Plan, network: str) -> Lag:
    """A run's lags, message after message, in short."""
    ends = np.cumsum(epochs.numbers(plan.number(network), plan.last))[:-1]
    medians = tuple(float(np.median(part)) for part in np.split(lags, ends))
    return Lag(float(lags.mean()), float(np.median(lags)), float(lags.min()), float(lags.max()), medians)


def figures(lags: Mapping[Key, Lag], known: Mapping[str, Figure]) -> dict[str, Figure]:
    """All figures of the distributed part by name. `known` are those of the serialization part.

    `lag.mean.avro`, `lag.median.avro`, `lag.range.avro`: over all messages, in ns; `linked` in place of `lag` behind the link.
    `reduction.lag.mean.avro`: by equation (1). `rank.lag.bytes` and `rank.lag.time`: Spearman's correlation over the formats of
    the mean lag with the bytes of a message, and with what it takes to serialize and to deserialize it.
    """
    found: dict[str, Figure] = {}
    replicates = sorted({key[0] for key in lags})
    for network in NETWORKS:
        names = list(dict.fromkeys(key[2] for key in sorted(lags) if key[1] == network))
        if not names:
            continue
        for name in names:
            own = [lags[number, network, name] for number in replicates]
            found[f"{network}.mean.{name}"] = measured(np.array([one.mean for one in own]))
            found[f"{network}.median.{name}"] = measured(np.array([one.median for one in own]))
            found[f"{network}.range.{name}"] = measured(np.array([one.most - one.least for one in own]))
        for key in [f"{network}.{kind}.{name}" for kind in ("mean", "median") for name in names]:
            kind = key.split(".")[1]
            found[f"reduction.{key}"] = reduction(found[key], found[f"{network}.{kind}.json"])
        means = np.array([[lags[number, network, name].mean for name in names] for number in replicates])
        found |= {
            f"rank.{network}.{what}": measured(ranks(means, by), "") for what, by in _causes(names, known)
        }
    return found


def _causes(
    names: Sequence[str], known: Mapping[str, Figure]
) -> Iterator[tuple[str, np.ndarray[tuple[int], np.dtype[np.float64]]]]:
    def mean(key: str) -> float:
        return float(np.mean(known[key].values))

    yield "bytes", np.array([mean(f"bytes.small.{name}") for name in names])
    yield (
        "time",
        np.array([mean(f"serialize.small.{name}") + mean(f"deserialize.small.{name}") for name in names]),
    )


def ranks(
    means: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    cause: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Spearman's rank correlation of each row with the cause."""
    from scipy.stats import spearmanr  # noqa: PLC0415

    return np.array([float(spearmanr(row, cause).statistic) for row in means])
