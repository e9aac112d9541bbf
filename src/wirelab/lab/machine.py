"""What the kernel says of the machine as a whole: the CPU time it asked for, and what of it a hypervisor withheld."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

# proc(5), /proc/stat: the columns after "cpu" in which the machine ran, or would have; idle and iowait lie between them.
_RAN, _STOLEN = (0, 1, 2, 5, 6), 7


class CpuTime(NamedTuple):
    """Ticks of all CPUs since boot: asked for, and of these stolen."""

    asked: int
    stolen: int


def cpu_time(proc: Path = Path("/proc")) -> CpuTime:
    """CPU time so far; zeros where the kernel does not tell."""
    try:
        first = (proc / "stat").read_text().partition("\n")[0]
        ticks = [int(field) for field in first.split()[1:]]
    except (OSError, ValueError):
        return CpuTime(0, 0)
    if len(ticks) <= _STOLEN:
        return CpuTime(0, 0)
    return CpuTime(sum(ticks[column] for column in _RAN) + ticks[_STOLEN], ticks[_STOLEN])


def stolen_share(after: CpuTime, before: CpuTime) -> float:
    """Share of the CPU time asked for between two readings that went to other machines of the host, or beyond this one's quota."""
    return max(0, after.stolen - before.stolen) / max(1, after.asked - before.asked)
