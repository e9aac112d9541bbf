"""Start trials: each runs as a cell in its own lab. Tests use a mock instead."""

from __future__ import annotations

import contextlib
import json
import select
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import IO, Protocol

import msgspec

from wirelab.engine.cell_process import CellProcess, ForkServer
from wirelab.lab.servers import Outside, is_external
from wirelab.lab.spec import lab_spec
from wirelab.model.trial import Trial
from wirelab.system.binaries import find


class Update(Enum):
    """An event of a cell: it is ready, its current trial is over and another follows, or it has
    ended.
    """

    READY = "ready"
    OVER = "over"
    ENDED = ""


class TrialHandle(Protocol):
    """A running trial, or a chain of trials."""

    def poll(self) -> Update | None:
        """The latest event since the last call; None if there is none. Does not block."""

    def go(self, offset_ns: int) -> None:
        """Let it measure, with the first message delayed by `offset_ns`."""

    def kill(self) -> None:
        """End it and all its processes."""


class Executor(Protocol):
    """Starts trials. A mock in its place allows tests of the orchestration without a lab."""

    def start(self, trials: Sequence[Trial], folders: Sequence[Path]) -> TrialHandle:
        """Start a chain of trials. Each leaves its outcome.json in its folder."""


class CellHandle:
    """A cell inside `wirelab-link lab`."""

    def __init__(self, process: CellProcess, outside: Outside | None = None) -> None:
        self.process = process
        self._outside = outside

    def poll(self) -> Update | None:
        """The next event of the cell."""
        readable, _, _ = select.select([self.process.stdout], [], [], 0)
        if not readable:
            return Update.ENDED if self.process.has_ended() else None
        line = self.process.stdout.readline().decode(errors="replace").strip()
        return next((poll for poll in Update if poll.value == line), None)

    def go(self, offset_ns: int) -> None:
        """Send the line for which the cell waits."""
        with contextlib.suppress(OSError):
            self.process.stdin.write(f"go {offset_ns}\n".encode())

    def kill(self) -> None:
        """The namespaces of the lab end with its first process."""
        self.process.kill()
        if self._outside is not None:
            self._outside.end()


class LabExecutor:
    """Runs every trial or chain as a cell in its own lab."""

    def __init__(self) -> None:
        # Started with the first trial: an executor is also sent to the nodes of a cluster.
        self.server: ForkServer | None = None

    def start(self, trials: Sequence[Trial], folders: Sequence[Path]) -> CellHandle:
        """Start the lab and the cell in it."""
        for trial, folder in zip(trials, folders, strict=True):
            (folder / "trial.json").write_bytes(msgspec.json.encode(trial))
        folder = folders[0]
        spec = folder / "lab.json"
        asked = lab_spec(trials[0], folder)
        if len(trials) > 1:
            # There is one packet log per lab, and it is complete only at the end.
            asked["packets"] = None
        spec.write_text(json.dumps(asked))
        outside = Outside(trials[0].server, folder) if is_external(trials[0].server) else None
        with (folder / "cell.log").open("wb") as log:
            return CellHandle(self._fork(spec, folders, log), outside)

    def close(self) -> None:
        """End the fork server, and the cells that still run."""
        if self.server is not None:
            self.server.close()
            self.server = None

    def _fork(self, spec: Path, folders: Sequence[Path], log: IO[bytes]) -> CellProcess:
        link = find("wirelab-link")
        if self.server is not None:
            with contextlib.suppress(OSError):
                return self.server.start(link, spec, folders, log)
            # It was killed, and its cells with it.
            self.close()
        self.server = ForkServer()
        return self.server.start(link, spec, folders, log)
