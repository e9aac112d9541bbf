"""CPU time of the whole machine: requested time, steal time, and time of other programs."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from wirelab.lab.process import family

# Columns after "cpu" in /proc/stat (proc(5)): programs, interrupts, steal. Idle and iowait are
# between them.
_PROGRAMS, _INTERRUPTS, _STOLEN = (0, 1, 2), (5, 6), 7
# /proc/PID/stat after the name: utime, stime, and those of reaped children.
_TAKEN = slice(11, 15)


DISTURBED = 0.05
"""The largest share of CPU time of others that does not affect a measurement."""


MOST_SLOWER = 8.0
"""Time limits of what only computes are extended by no more than this on a busy machine."""


def slower() -> float:
    """How much longer computing takes on this machine at its load: processes per core, at least 1.

    Time limits of what starts and answers on this machine are multiples of it.
    """
    return min(max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0))), MOST_SLOWER)


class CpuTime(NamedTuple):
    """Ticks of all CPUs since boot: requested, of these stolen, and of these spent in programs."""

    asked: int
    stolen: int
    programs: int = 0


def cpu_time(proc: Path = Path("/proc")) -> CpuTime:
    """The CPU time so far; zeros if the kernel does not report it."""
    try:
        first = (proc / "stat").read_text().partition("\n")[0]
        ticks = [int(field) for field in first.split()[1:]]
    except (OSError, ValueError):
        return CpuTime(0, 0)
    if len(ticks) <= _STOLEN:
        return CpuTime(0, 0)
    programs, interrupts = (sum(ticks[column] for column in columns) for columns in (_PROGRAMS, _INTERRUPTS))
    return CpuTime(programs + interrupts + ticks[_STOLEN], ticks[_STOLEN], programs)


def stolen_share(after: CpuTime, before: CpuTime) -> float:
    """Steal time between two readings as a share of the requested CPU time.

    It went to other machines of the host, or exceeded this machine's quota.
    """
    return max(0, after.stolen - before.stolen) / max(1, after.asked - before.asked)


class CpuMonitor:
    """The share of the machine that others take while this process and its descendants work."""

    def __init__(self, proc: Path = Path("/proc"), pid: int | None = None) -> None:
        self._proc, self._pid = proc, os.getpid() if pid is None else pid
        self._last = self._read()

    def elsewhere(self) -> float:
        """The share of CPU time since the last call that was stolen or went to other programs."""
        (before, own_before), (after, own) = self._last, self._read()
        self._last = after, own
        others = after.programs - before.programs - (own - own_before)
        return max(0, others) / max(1, after.asked - before.asked) + stolen_share(after, before)

    def _read(self) -> tuple[CpuTime, int]:
        return cpu_time(self._proc), sum(_taken(pid, self._proc) for pid in family(self._pid, self._proc))


def taken_note(share: float) -> str:
    """A note on the CPU time of others; "" if it is little."""
    if share <= DISTURBED:
        return ""
    return f"other programs or the hypervisor took {100 * share:.0f} % of the CPU time asked for"


def _taken(pid: int, proc: Path) -> int:
    """Ticks of a process and of its reaped children; 0 for one that has ended."""
    with contextlib.suppress(OSError, ValueError):
        fields = (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[_TAKEN]))
    return 0
