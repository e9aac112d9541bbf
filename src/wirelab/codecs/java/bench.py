"""Running `wirelab.codecs.Main` on a Java pack, with the commands of `wirelab-codec`."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wirelab.codecs.java import toolchain
from wirelab.codecs.memfd import in_memory
from wirelab.codecs.pack import CodecInfo, Pack
from wirelab.lab.child_guard import tied
from wirelab.model.errors import BadInput, MeasurementFailed

WARMUP_S = 10.0
"""The longest a process warms up; one that has come to no steady state by then says so."""


_BOTH = ("serialize", "deserialize")
ALONE: dict[str, tuple[str, ...]] = {"bench": (), "memory": _BOTH, "singly": _BOTH}
"""What takes a process for each codec, and the phases it takes: () for all that the codec has."""


class JavaBench:
    """One pack and corpus. Times are taken with one codec to a process: what other codecs did before would change how
    the JVM compiles what they share."""

    def __init__(self, pack: Pack, corpus: str) -> None:
        self.pack, self.corpus = pack, corpus
        self.java = [
            toolchain.require("java"),
            # Its work is done by one thread whose CPU time can be read: a codec pays for the garbage it makes.
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            f"-Xms{_heap_mib(corpus)}m",
            f"-Xmx{_heap_mib(corpus)}m",
            "-Dorg.apache.avro.SERIALIZABLE_PACKAGES=wirelab.pack.av",
            "-cp",
            f"{pack.path}{os.pathsep}{toolchain.class_path('codecs')}",
            "wirelab.codecs.Main",
        ]

    def run(
        self, command: str, infos: Sequence[CodecInfo], *options: str, phases: Sequence[str] = ()
    ) -> list[bytes]:
        """The lines a command answers for codecs; `bench` takes the phases, all if none is named. Raises BadInput, or
        MeasurementFailed where the JVM dies."""
        if command not in ALONE:
            return self._run(command, ",".join(info.name for info in infos), *options)
        order = list(infos)
        if command == "bench":
            random.Random(options[options.index("--seed") + 1]).shuffle(order)
        lines: list[bytes] = []
        for info in order:
            asked = [name for name in phases or ALONE[command] or info.phases if name in info.phases]
            more = ("--phase", ",".join(asked), "--warmup", str(WARMUP_S))
            lines += self._run(command, info.name, *options, *more)
        return lines

    def over(self, corpus: str) -> JavaBench:
        """The same pack on another corpus."""
        return JavaBench(self.pack, corpus)

    @contextmanager
    def encoded(self, infos: Sequence[CodecInfo]) -> Iterator[Sequence[str]]:
        """A file of what these codecs make of the corpus."""
        with in_memory() as path:
            self.run("encode", infos, "--bytes", path)
            yield ("--encoded", path)

    def _run(self, command: str, names: str, *options: str) -> list[bytes]:
        words = [*self.java, command, self.corpus, "--codec", names, *options]
        done = subprocess.run(
            words, capture_output=True, check=False, stdin=subprocess.DEVNULL, preexec_fn=tied()
        )
        if done.returncode == 0:
            return done.stdout.splitlines()
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        why = (lines or ["no reason given"])[0].removeprefix("wirelab-codec: ")
        if done.returncode == 3:
            raise BadInput(f"codecs {names}", why, "check the corpus against the schema")
        raise MeasurementFailed(f"codecs {names}", f"the JVM ended with {done.returncode}: {why}", "")


def _heap_mib(corpus: str) -> int:
    """Heap for a corpus, with room to collect garbage rarely: native objects and bytes take many times the text."""
    return max(512, 40 * Path(corpus).stat().st_size >> 20)
