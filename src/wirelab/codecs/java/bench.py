"""Runs `wirelab.codecs.Main` on a Java pack, with the commands of `wirelab-codec`."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wirelab.codecs.java import toolchain
from wirelab.codecs.memfd import in_memory
from wirelab.codecs.pack import CodecInfo, Pack
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.system.child_guard import tied

WARMUP_S = 10.0
"""Maximum warm-up of a process. A result says whether the steady state was reached by then."""


Progress = Callable[[str], None]
_BOTH = ("serialize", "deserialize")
_DOING = {"bench": "timing", "memory": "counting allocations of", "singly": "timing single calls of"}
ONE_PER_PROCESS: dict[str, tuple[str, ...]] = {"bench": (), "memory": _BOTH, "singly": _BOTH}
"""Commands that run one codec per process, and the phases they run: () for all of the codec."""


class JavaBench:
    """Measures one pack with one corpus. Times are taken with one codec per process: other codecs
    would change how the JIT compiler optimizes shared library code."""

    def __init__(self, pack: Pack, corpus: str, progress: Progress | None = None) -> None:
        self.pack, self.corpus, self.progress = pack, corpus, progress
        self.java = [
            toolchain.require("java"),
            # It runs on one thread with readable CPU time: times include garbage collection.
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
        """The output lines of a command for these codecs. `bench` runs `phases`, or all if empty.

        Raises BadInput, or MeasurementFailed if the JVM crashes.
        """
        if command not in ONE_PER_PROCESS:
            return self._run(command, ",".join(info.name for info in infos), *options)
        order = list(infos)
        if command == "bench":
            random.Random(options[options.index("--seed") + 1]).shuffle(order)
        lines: list[bytes] = []
        for number, info in enumerate(order, 1):
            if self.progress is not None:
                self.progress(f"{_DOING[command]} {info.name} in Java ({number} of {len(order)})")
            wanted = phases or ONE_PER_PROCESS[command] or info.phases
            available = [name for name in wanted if name in info.phases]
            lines += self._run(
                command, info.name, *options, "--phase", ",".join(available), "--warmup", str(WARMUP_S)
            )
        return lines

    def over(self, corpus: str) -> JavaBench:
        """The same pack on another corpus."""
        return JavaBench(self.pack, corpus, self.progress)

    @contextmanager
    def encoded(self, infos: Sequence[CodecInfo]) -> Iterator[Sequence[str]]:
        """Options that name a file of the corpus as encoded by these codecs."""
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
        reason = (lines or ["no error message"])[0].removeprefix("wirelab-codec: ")
        if done.returncode == 3:
            raise BadInput(f"codecs {names}", reason, "check the corpus against the schema")
        raise MeasurementFailed(
            f"codecs {names}", f"the JVM exited with code {done.returncode}: {reason}", ""
        )


def _heap_mib(corpus: str) -> int:
    """Heap size for a corpus. Native objects and bytes take many times the size of the text, and a
    large heap makes garbage collection rare."""
    return max(512, 40 * Path(corpus).stat().st_size >> 20)
