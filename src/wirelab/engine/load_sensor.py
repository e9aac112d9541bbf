"""The load of this machine, as the kernel reports it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from msgspec import Struct


class Load(Struct, frozen=True):
    """The load since the last reading.

    `wait_ns` is the mean time for which a wake-up of this process waited for a CPU, `free` the
    share of the memory that is available.
    """

    wait_ns: float = 0.0
    free: float = 1.0


class LoadSensor(Protocol):
    """Reads the load. A mock in its place allows tests without a busy machine."""

    def read(self) -> Load:
        """The load since the last call."""


class KernelSensor:
    """Reads /proc (proc(5))."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._waited = self._waits()

    def read(self) -> Load:
        """The load since the last call. What the kernel does not report counts as no load."""
        (waited, turns), (before, turns_before) = self._waits(), self._waited
        self._waited = waited, turns
        return Load((waited - before) / max(1, turns - turns_before), self._free())

    def _waits(self) -> tuple[int, int]:
        """ns on a run queue, and time slices, of this process's first thread."""
        try:
            words = (self._proc / str(os.getpid()) / "schedstat").read_text().split()
            return int(words[1]), int(words[2])
        except (OSError, ValueError, IndexError):
            return 0, 0

    def _free(self) -> float:
        try:
            lines = (self._proc / "meminfo").read_text().splitlines()
            kib = {line.split(":")[0]: int(line.split()[1]) for line in lines if "kB" in line}
            return kib["MemAvailable"] / kib["MemTotal"]
        except (OSError, ValueError, KeyError, IndexError):
            return 1.0
