"""Where trials run: this machine. Sparse trials side by side, heavy ones alone; each in a process and a lab of its own."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from wirelab.lab.binaries import find
from wirelab.lab.catalog import JAVA, PROTOCOLS
from wirelab.lab.lifeline import tied, uninterrupted
from wirelab.lab.outcome import Outcome
from wirelab.lab.servers import weight
from wirelab.lab.spec import lab_spec
from wirelab.model.trial import State, Trial, Verdict
from wirelab.workloads.arrivals import ONE_BY_ONE
from wirelab.workloads.load import is_sparse, planned_ns

READY_TIMEOUT_S = 90.0
# What a trial may take beyond its plan and its drain limit before it is ended by force.
GRACE_S = 60.0
# Sparse trials side by side per core. More would let their encodes and wake-ups meet often enough to show in the tails.
SPARSE_PER_CORE = 8
# A JVM's start and its compiler take the CPU of several; of an exchange over a link that adds nothing, wake-ups are the most.
JVM_PLACES, BARE_PLACES = 4, 4


class Handle(Protocol):
    """A trial that runs."""

    def wait_ready(self, deadline_s: float) -> bool:
        """Whether it stands ready before the deadline (time.monotonic)."""

    def go(self, offset_ns: int) -> None:
        """Let it measure, its first message `offset_ns` later than it would be."""

    def wait_over(self, deadline_s: float) -> bool:
        """Whether it ended before the deadline."""

    def kill(self) -> None:
        """End it and everything it started."""


class Executor(Protocol):
    """Starts trials; tests put a mock here, so that orchestration is tested without a lab."""

    def start(self, trial: Trial, folder: Path) -> Handle:
        """Start a trial that leaves its outcome.json in the folder."""


class CellHandle:
    """A cell inside `wirelab-link lab`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def wait_ready(self, deadline_s: float) -> bool:
        """Whether the cell printed `ready`."""
        assert self._process.stdout is not None
        readable, _, _ = select.select(
            [self._process.stdout], [], [], max(0.0, deadline_s - time.monotonic())
        )
        return bool(readable) and self._process.stdout.readline() == b"ready\n"

    def go(self, offset_ns: int) -> None:
        """Send the line the cell waits for."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"go {offset_ns}\n".encode())
            self._process.stdin.flush()
        except OSError:
            return

    def wait_over(self, deadline_s: float) -> bool:
        """Whether the cell ended."""
        try:
            self._process.wait(max(0.0, deadline_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """The lab's namespaces die with its first process."""
        self._process.kill()
        self._process.wait()


class LabExecutor:
    """Runs every trial as a cell in a lab of its own."""

    def start(self, trial: Trial, folder: Path) -> CellHandle:
        """Start the lab and the cell in it."""
        (folder / "trial.json").write_bytes(msgspec.json.encode(trial))
        spec = folder / "lab.json"
        spec.write_text(json.dumps(lab_spec(trial, folder)))
        argv = [
            find("wirelab-link"),
            "lab",
            str(spec),
            "--",
            sys.executable,
            "-m",
            "wirelab.lab.cell",
            str(folder),
        ]
        with (folder / "cell.log").open("wb") as log, uninterrupted():
            # A session of its own: Ctrl-C in the terminal reaches us, and we end the labs in order.
            process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                preexec_fn=tied(),  # noqa: PLW1509  (no lock is taken there)
            )
        return CellHandle(process)


def batches(trials: Iterable[Trial], width: int) -> Iterator[list[Trial]]:
    """Trials in their order, as groups that run side by side: up to `width` sparse ones, heavy ones alone.

    One that takes more of the machine takes the places of several.
    """
    batch: list[Trial] = []
    taken = 0
    for trial in trials:
        sparse = is_sparse(trial.workload)
        if batch and (not sparse or taken + places(trial) > width):
            yield batch
            batch, taken = [], 0
        if sparse:
            batch.append(trial)
            taken += places(trial)
        else:
            yield [trial]
    if batch:
        yield batch


def places(trial: Trial) -> int:
    """How many of the places side by side a trial takes: one, or what its server, its client's JVM, or a link without delay want."""
    known = PROTOCOLS.get(trial.protocol)
    command = known.libraries.get(trial.library, known.default_peer) if known else ()
    java = JVM_PLACES if command[:1] == (JAVA,) else 1
    bare = (trial.link.text, trial.link.segment) == ("ideal", "") and trial.workload.arrivals == ONE_BY_ONE
    return max(weight(trial.server), java, BARE_PLACES if bare else 1)


def width() -> int:
    """How many sparse trials this machine bears side by side."""
    return SPARSE_PER_CORE * len(os.sched_getaffinity(0))


def offset_ns(trial: Trial, index: int, side_by_side: int) -> int:
    """Spread the beginnings over one interval: trials that send at the same moments would wait for each other's CPU each time."""
    rate = trial.workload.rate_hz
    return 0 if rate is None else round(1e9 / rate * index / side_by_side)


def run_batch(
    batch: list[Trial], folders: dict[str, Path], executor: Executor
) -> Generator[tuple[Trial, Outcome], None, None]:
    """Run trials side by side: all get ready, then all start. Yields each with its outcome; nothing is left running."""
    handles: dict[str, Handle] = {}
    try:
        for trial in batch:
            handles[trial.id] = executor.start(trial, folders[trial.id])
        deadline = time.monotonic() + READY_TIMEOUT_S
        ready = [trial for trial in batch if handles[trial.id].wait_ready(deadline)]
        for index, trial in enumerate(ready):
            handles[trial.id].go(offset_ns(trial, index, len(ready)))
        for trial in batch:
            limit_s = (planned_ns(trial.workload, trial.seed) + trial.workload.drain_ns) / 1e9 + GRACE_S
            over = handles[trial.id].wait_over(time.monotonic() + (limit_s if trial in ready else GRACE_S))
            handles[trial.id].kill()
            yield trial, _outcome(folders[trial.id], over)
    finally:
        for handle in handles.values():
            handle.kill()


def _outcome(folder: Path, over: bool) -> Outcome:
    try:
        return msgspec.json.decode((folder / "outcome.json").read_bytes(), type=Outcome)
    except (OSError, msgspec.DecodeError):
        reason = _last_line(folder / "cell.log") if over else "took far longer than planned and was ended"
        return Outcome(verdict=Verdict(State.FAILED, reason))


def _last_line(log: Path) -> str:
    try:
        lines = log.read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][:300] if lines else "ended without an outcome"
