"""What starts a trial: a cell in a lab of its own. Tests put a mock in its place."""

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
    """What a cell says: it stands ready, its present trial is over and another follows on its server, it has ended."""

    READY = "ready"
    OVER = "over"
    ENDED = ""


class TrialHandle(Protocol):
    """A trial that runs, or several that follow one another on one server."""

    def poll(self) -> Update | None:
        """What it said since it was last asked; None for nothing. Does not block."""

    def go(self, offset_ns: int) -> None:
        """Let it measure, its first message `offset_ns` later than it would be."""

    def kill(self) -> None:
        """End it and everything it started."""


class Executor(Protocol):
    """Starts trials; tests put a mock here, so that orchestration is tested without a lab."""

    def start(self, trials: Sequence[Trial], folders: Sequence[Path]) -> TrialHandle:
        """Start trials that follow one another on one server; each leaves its outcome.json in its folder."""


class CellHandle:
    """A cell inside `wirelab-link lab`."""

    def __init__(self, process: subprocess.Popen[bytes], outside: Outside | None = None) -> None:
        self._process = process
        self._outside = outside

    def poll(self) -> Update | None:
        """The next line the cell prints, or that it ended."""
        assert self._process.stdout is not None
        readable, _, _ = select.select([self._process.stdout], [], [], 0)
        if not readable:
            return None if self._process.poll() is None else Update.ENDED
        line = self._process.stdout.readline().decode(errors="replace").strip()
        return next((poll for poll in Update if poll.value == line), None)

    def go(self, offset_ns: int) -> None:
        """Send the line the cell waits for."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"go {offset_ns}\n".encode())
            self._process.stdin.flush()
        except OSError:
            return

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
