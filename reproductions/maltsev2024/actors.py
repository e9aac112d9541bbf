"""maltsev2024, Table 5: three actors in a JVM forward messages through Kafka and note their lag."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from wirelab.codecs.java import toolchain
from wirelab.codecs.pack import Pack
from wirelab.lab import servers
from wirelab.lab.host_cpu import CpuMonitor
from wirelab.model.errors import MeasurementFailed
from wirelab.system.binaries import find
from wirelab.system.child_guard import tied, uninterrupted
from wirelab.workloads import epochs
from wirelab_reproductions.maltsev2024.kafka_runs import Run
from wirelab_reproductions.maltsev2024.lag import NETWORKS, Key, Lag, Plan, summary

HEAP = "-Xmx1g"


class Subject(Struct, frozen=True):
    """The pack, the messages (an equal part for each epoch), and the codec of each format."""

    pack: Pack
    corpus: Path
    codecs: Mapping[str, str]


def check() -> None:
    """Whether Kafka is here. Raises BadInput with the line that installs it."""
    servers.check("kafka", "kafka")


def measure(
    plan: Plan, subject: Subject, runs: Sequence[Key], seed: int, tell: Callable[[str], None]
) -> Iterator[tuple[Key, Lag]]:
    """Run the actors, one run after another with one Kafka, and yield each result.

    Raises BadInput, MeasurementFailed.
    """
    # Kafka's JVM must warm up, too: in the first run after its start lags were nearly twice as
    # long.
    warming = (0, "lag", next(iter(subject.codecs)))
    every = [warming, *runs]
    with tempfile.TemporaryDirectory(prefix="wirelab-") as name:
        folder = Path(name)
        argvs = [_argv(plan, subject, key, folder) for key in every]
        written = [Run(NETWORKS[key[1]], argv) for key, argv in zip(every, argvs, strict=True)]
        (folder / "actors.json").write_bytes(msgspec.json.encode(written))
        hosts = [{"name": "device", "link": plan.link}, {"name": "server", "link": "ideal"}]
        spec = {"seed": seed, "realtime": "auto", "hosts": hosts, "accounting": str(folder / "link.json")}
        (folder / "lab.json").write_text(json.dumps(spec))
        watch = CpuMonitor()
        for number in _over(folder, plan.last, ["warming Kafka up", *_titles(runs, plan)], tell):
            key, elsewhere = every[number], watch.elsewhere()
            lags = _file(folder, key)
            lag = summary(np.fromfile(lags, "<i8").astype(float), plan, key[1])
            lags.unlink()
            if key != warming:
                yield key, replace(lag, elsewhere=elsewhere)


def _titles(runs: Sequence[Key], plan: Plan) -> list[str]:
    where = {"lag": "on one host", "linked": f"behind {plan.link}"}
    last = {network: max((key[0] for key in runs if key[1] == network), default=0) for network in where}
    return [
        f"lag of {name} through Kafka {where[network]}, replicate {number} of {last[network]}"
        for number, network, name in runs
    ]


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
    argv += [sys.executable, "-m", "wirelab_reproductions.maltsev2024.kafka_runs", str(folder)]
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
