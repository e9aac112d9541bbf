"""Start trials: each runs as a cell in its own lab. Tests use a mock instead."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Protocol

import msgspec

from wirelab.lab.servers import Outside, is_external
from wirelab.lab.spec import lab_spec
from wirelab.model.trial import Trial
from wirelab.system.binaries import find
from wirelab.system.child_guard import tied, uninterrupted


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

    def __init__(self, process: subprocess.Popen[bytes], outside: Outside | None = None) -> None:
        self._process = process
        self._outside = outside

    def poll(self) -> Update | None:
        """The next event of the cell."""
        assert self._process.stdout is not None
        readable, _, _ = select.select([self._process.stdout], [], [], 0)
        if not readable:
            return None if self._process.poll() is None else Update.ENDED
        line = self._process.stdout.readline().decode(errors="replace").strip()
        return next((poll for poll in Update if poll.value == line), None)

    def go(self, offset_ns: int) -> None:
        """Send the line for which the cell waits."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"go {offset_ns}\n".encode())
            self._process.stdin.flush()
        except OSError:
            return

    def kill(self) -> None:
        """The namespaces of the lab end with its first process."""
        self._process.kill()
        self._process.wait()
        if self._outside is not None:
            self._outside.end()


class LabExecutor:
    """Runs every trial or chain as a cell in its own lab."""

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
            # In a separate session: Ctrl-C in the terminal then reaches only us, and we end the
            # labs in order.
            process = subprocess.Popen(
                argv,
                bufsize=0,  # unbuffered, because events are waited for
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                preexec_fn=tied(),  # noqa: PLW1509  (no lock is taken there)
            )
        return CellHandle(process, outside)
