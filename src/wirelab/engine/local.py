"""Where trials run: this machine. Sparse trials side by side, heavy ones alone; each in a process and a lab of its own."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import select
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from wirelab.lab.binaries import find
from wirelab.lab.catalog import JAVA, PROTOCOLS
from wirelab.lab.lifeline import tied, uninterrupted
from wirelab.lab.outcome import Outcome
from wirelab.lab.servers import Outside, is_external, weight
from wirelab.lab.spec import lab_spec
from wirelab.model.trial import State, Trial, Verdict
from wirelab.workloads.arrivals import ONE_BY_ONE
from wirelab.workloads.load import is_sparse, planned_ns

READY_TIMEOUT_S = 90.0
# What a trial may take beyond its plan and its drain limit before it is ended by force.
GRACE_S = 60.0
# Sparse trials side by side per core. More would let their encodes and wake-ups meet often enough to show in the tails.
SPARSE_PER_CORE = 8
# A JVM's start and its compiler take the CPU of several.
JVM_PLACES = 4
# One exchange after another: nothing happens for most of the time, and even less where messages have to be sent again; but of an
# exchange over a link that adds nothing, wake-ups are the most.
WAITING_PLACES, LOSSY_PLACES, BARE_PLACES = 0.5, 0.25, 5.0
# Patience beyond this is for retransmissions of the protocol's own.
PATIENCE_S = 10.0
# Trials one after the other on a server that is slow to start.
MOST_IN_LINE = 8


class Handle(Protocol):
    """A trial that runs."""

    def wait_ready(self, deadline_s: float) -> bool:
        """Whether it stands ready before the deadline (time.monotonic)."""

    def go(self, offset_ns: int) -> None:
        """Let it measure, its first message `offset_ns` later than it would be."""

    def wait_over(self, deadline_s: float) -> bool:
        """Whether it ended before the deadline."""

    def wait_next(self, deadline_s: float) -> bool:
        """Whether its present trial ended before the deadline, where others follow on the same server."""

    def kill(self) -> None:
        """End it and everything it started."""


class Executor(Protocol):
    """Starts trials; tests put a mock here, so that orchestration is tested without a lab."""

    def start(self, trials: Sequence[Trial], folders: Sequence[Path]) -> Handle:
        """Start trials that follow one another on one server; each leaves its outcome.json in its folder."""


class CellHandle:
    """A cell inside `wirelab-link lab`."""

    def __init__(self, process: subprocess.Popen[bytes], outside: Outside | None = None) -> None:
        self._process = process
        self._outside = outside
        self._over = False

    def wait_ready(self, deadline_s: float) -> bool:
        """Whether the cell printed `ready`."""
        line = self._line(deadline_s)
        self._over = line == b"over\n"
        return line == b"ready\n"

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

    def wait_next(self, deadline_s: float) -> bool:
        """Whether the cell printed `over`, or is no more."""
        return self._over or self._line(deadline_s) in (b"over\n", b"")

    def _line(self, deadline_s: float) -> bytes | None:
        """The next line the cell prints; None if none comes in time, nothing at all where the cell has ended."""
        assert self._process.stdout is not None
        wait_s = max(0.0, deadline_s - time.monotonic())
        readable, _, _ = select.select([self._process.stdout], [], [], wait_s)
        return self._process.stdout.readline() if readable else None

    def kill(self) -> None:
        """The lab's namespaces die with its first process."""
        self._process.kill()
        self._process.wait()
        if self._outside is not None:
            self._outside.end()


class LabExecutor:
    """Runs every trial, or trials that share a server, as a cell in a lab of its own."""

    def start(self, trials: Sequence[Trial], folders: Sequence[Path]) -> CellHandle:
        """Start the lab and the cell in it."""
        for trial, folder in zip(trials, folders, strict=True):
            (folder / "trial.json").write_bytes(msgspec.json.encode(trial))
        folder = folders[0]
        spec = folder / "lab.json"
        asked = lab_spec(trials[0], folder)
        if len(trials) > 1:
            # The log of packets is one for the whole lab, and whole only at its end.
            asked["packets"] = None
        spec.write_text(json.dumps(asked))
        argv = [
            find("wirelab-link"),
            "lab",
            str(spec),
            "--",
            sys.executable,
            "-m",
            "wirelab.lab.cell",
            *map(str, folders),
        ]
        outside = Outside(trials[0].server, folder) if is_external(trials[0].server) else None
        with (folder / "cell.log").open("wb") as log, uninterrupted():
            # A session of its own: Ctrl-C in the terminal reaches us, and we end the labs in order.
            process = subprocess.Popen(
                argv,
                bufsize=0,  # what is waited for must not lie in a buffer
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                preexec_fn=tied(),  # noqa: PLW1509  (no lock is taken there)
            )
        return CellHandle(process, outside)


def batches(trials: Iterable[Trial], width: int) -> Iterator[list[Trial]]:
    """Trials in their order, as groups that run side by side: up to `width` sparse ones, heavy ones alone.

    One that takes more of the machine takes the places of several; one that follows another on its server takes none. Those that follow
    one another stay among themselves: others would wait for the last of them.
    """
    batch: list[Trial] = []
    taken = 0.0
    for trial in trials:
        sparse = is_sparse(trial.workload)
        wanted = 0 if follows(batch, trial) else places(trial)
        if batch and (not sparse or taken + wanted > width or _in_lines(batch[-1]) != _in_lines(trial)):
            yield batch
            batch, taken, wanted = [], 0, places(trial)
        if sparse:
            batch.append(trial)
            taken += wanted
        else:
            yield [trial]
    if batch:
        yield batch


def follows(batch: Sequence[Trial], trial: Trial) -> bool:
    """Whether a trial can run behind the last of the batch, in its lab and on its server: where that is slow to start, in the same replicate, on
    the same link. Not where messages are lost: there starting is short against waiting, and waiting is better done side by side.
    """
    if not batch or weight(trial.server) == 1 or is_lossy(trial) or _stand(batch[-1]) != _stand(trial):
        return False
    return _line_length(batch) < MOST_IN_LINE


def _in_lines(trial: Trial) -> bool:
    return weight(trial.server) > 1 and not is_lossy(trial)


def _line_length(batch: Sequence[Trial]) -> int:
    stand = _stand(batch[-1])
    return len(list(itertools.takewhile(lambda one: _stand(one) == stand, reversed(batch))))


def _stand(trial: Trial) -> tuple[object, ...]:
    """What trials on one server have in common. RabbitMQ's plugins have not every qos of MQTT, so it is asked anew for each."""
    qos = trial.qos if trial.protocol.startswith("mqtt") else ""
    bare = lab_spec(trial, Path())
    return trial.server, trial.protocol, trial.transport, qos, trial.replicate, json.dumps(bare)


def lines(batch: Sequence[Trial]) -> list[list[Trial]]:
    """A batch as what runs side by side: trials alone, and those that follow one another on one server."""
    found: list[list[Trial]] = []
    for trial in batch:
        if found and follows(found[-1], trial):
            found[-1].append(trial)
        else:
            found.append([trial])
    return found


def places(trial: Trial) -> float:
    """How many of the places side by side a trial takes: one, or what its pace, its link, its server and its client's JVM want."""
    if is_external(trial.server):
        return math.inf  # two at once would meet each other's clients and messages there
    known = PROTOCOLS.get(trial.protocol)
    command = known.libraries.get(trial.library, known.default_peer) if known else ()
    own = 1.0
    if is_lossy(trial):
        own = WAITING_PLACES
    if trial.workload.arrivals == ONE_BY_ONE:
        own = LOSSY_PLACES if is_lossy(trial) else BARE_PLACES if bare(trial) else WAITING_PLACES
    start = weight(trial.server) * (LOSSY_PLACES if is_lossy(trial) else 1.0)
    return max(own, start if start > 1 else 0.0, JVM_PLACES if command[:1] == (JAVA,) else 0.0)


def bare(trial: Trial) -> bool:
    """Whether its link adds nothing."""
    return (trial.link.text, trial.link.segment) == ("ideal", "")


def is_lossy(trial: Trial) -> bool:
    """Whether its link loses packets on purpose, so that connecting and each exchange may take long."""
    return "loss=" in trial.link.text


def width() -> int:
    """How many sparse trials this machine bears side by side."""
    return SPARSE_PER_CORE * len(os.sched_getaffinity(0))


def offset_ns(trial: Trial, index: int, side_by_side: int) -> int:
    """Spread the beginnings over one interval: trials that send at the same moments would wait for each other's CPU each time."""
    rate = trial.workload.rate_hz
    return 0 if rate is None else round(1e9 / rate * index / side_by_side)


def patient(trials: Sequence[Trial], width: int) -> list[Trial]:
    """Trials that others need not wait for: one exchange after another where a message is sent again after seconds, by the protocol itself,
    or where connecting over losses to a server that is slow to start takes long.

    What others take of the CPU while they start is little against their latencies, and the judge still looks at how long their peers
    waited. As many as run side by side; none where there is nothing else to run.
    """
    found = [t for t in trials if is_lossy(t) and t.workload.arrivals == ONE_BY_ONE and _resends(t)]
    return next(batches(found, width)) if found and len(found) < len(trials) else []


def _resends(trial: Trial) -> bool:
    known = PROTOCOLS.get(trial.protocol)
    return weight(trial.server) > 1 or (known is not None and known.linger(trial.qos) > PATIENCE_S)


def run_batch(
    batch: list[Trial], folders: dict[str, Path], executor: Executor
) -> Generator[tuple[Trial, Outcome], None, None]:
    """Run trials side by side: all get ready, then all start; those behind others on the same server in a second round, and so on.

    Yields each with its outcome; nothing is left running.
    """
    with contextlib.closing(begin_batch(batch, folders, executor)) as running:
        for ended in running:
            if ended is not None:
                yield ended


def begin_batch(
    batch: list[Trial], folders: dict[str, Path], executor: Executor
) -> Generator[tuple[Trial, Outcome] | None, None, None]:
    """As `run_batch`, but yields None each time that all have started and nothing is to do but to wait."""
    started: list[tuple[list[Trial], Handle]] = []
    try:
        for line in lines(batch):
            started.append((line, executor.start(line, [folders[trial.id] for trial in line])))
        for place in range(max(len(line) for line, _ in started)):
            here = [(line, handle) for line, handle in started if place < len(line)]
            deadline = time.monotonic() + READY_TIMEOUT_S
            ready = [(line[place], handle) for line, handle in here if handle.wait_ready(deadline)]
            for index, (trial, handle) in enumerate(ready):
                handle.go(offset_ns(trial, index, len(ready)))
            going = {trial.id for trial, _ in ready}
            yield None
            for line, handle in here:
                trial, last = line[place], place == len(line) - 1
                limit_s = (planned_ns(trial.workload, trial.seed) + trial.workload.drain_ns) / 1e9 + GRACE_S
                until = time.monotonic() + (limit_s if trial.id in going else GRACE_S)
                over = handle.wait_over(until) if last else handle.wait_next(until)
                if last or not over:
                    handle.kill()
                yield trial, _outcome(folders[trial.id], over, folders[line[0].id] / "cell.log")
    finally:
        for _, handle in started:
            handle.kill()


def _outcome(folder: Path, over: bool, log: Path) -> Outcome:
    try:
        return msgspec.json.decode((folder / "outcome.json").read_bytes(), type=Outcome)
    except (OSError, msgspec.DecodeError):
        reason = _last_line(log) if over else "took far longer than planned and was ended"
        return Outcome(verdict=Verdict(State.FAILED, reason))


def _last_line(log: Path) -> str:
    try:
        lines = log.read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][:300] if lines else "ended without an outcome"
