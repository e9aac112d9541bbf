"""Kernel statistics of a process: CPU time, waiting, memory, send queues."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path

from wirelab.model.result import Usage


def usage(pid: int, proc: Path = Path("/proc")) -> Usage:
    """CPU time and run-queue delay over all threads, peak resident set.

    Zeros for an ended process.
    """
    cpu = delay = slices = 0
    root = proc / str(pid)
    try:
        for thread in (root / "task").iterdir():
            # schedstat: ns on a CPU, ns waiting on a run queue, time slices (proc(5)).
            ran, waited, turns = map(int, (thread / "schedstat").read_text().split())
            cpu, delay, slices = cpu + ran, delay + waited, slices + turns
        status = (root / "status").read_text()
    except OSError:
        return Usage()
    peak = next((line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")), "0")
    return Usage(cpu_ns=cpu, run_delay_ns=delay, max_rss_bytes=int(peak) * 1024, slices=slices)


def family(pid: int, proc: Path = Path("/proc")) -> list[int]:
    """A process and all its descendants, parents first; empty for an ended process."""
    found = [pid] if (proc / str(pid)).exists() else []
    for parent in found:
        # proc(5): the children of each thread. Kernels with namespaces have this file.
        for children in (proc / str(parent) / "task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, children.read_text().split())
    return found


def kill_if_alive(pid: int) -> None:
    """Kill a process. It may have ended already."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def summed(usages: Iterable[Usage]) -> Usage:
    """The usage of several processes together."""
    seen = list(usages)
    return Usage(
        cpu_ns=sum(u.cpu_ns for u in seen),
        run_delay_ns=sum(u.run_delay_ns for u in seen),
        max_rss_bytes=sum(u.max_rss_bytes for u in seen),
        slices=sum(u.slices for u in seen),
    )


def difference(after: Usage, before: Usage) -> Usage:
    """The usage between two readings; the peak is that of the later one."""
    return Usage(
        cpu_ns=max(0, after.cpu_ns - before.cpu_ns),
        run_delay_ns=max(0, after.run_delay_ns - before.run_delay_ns),
        max_rss_bytes=after.max_rss_bytes,
        slices=max(0, after.slices - before.slices),
    )


def unsent_bytes(pids: Iterable[int], proc: Path = Path("/proc")) -> int:
    """Unacknowledged bytes in the send queues of all IPv4 sockets of the processes' network
    namespaces.
    """
    namespaces = {_namespace(proc / str(pid)): proc / str(pid) / "net" for pid in pids}
    return sum(_queued(net / table) for net in namespaces.values() for table in _tables(net))


def _namespace(root: Path) -> str:
    try:
        return str((root / "ns" / "net").readlink())
    except OSError:
        return str(root)


def _tables(net: Path) -> list[str]:
    """The table is not read if there is no TCP socket: the kernel walks a hash of the whole machine
    to write it, which takes most of a millisecond.
    """
    try:
        counts = next(
            line.split() for line in (net / "sockstat").read_text().splitlines() if line[:4] == "TCP:"
        )
    except (OSError, StopIteration):
        return ["tcp", "udp"]
    named = dict(zip(counts[1::2], counts[2::2], strict=False))
    return ["udp"] if named.get("inuse") == named.get("orphan") == "0" else ["tcp", "udp"]


def _queued(table: Path) -> int:
    try:
        lines = table.read_text().splitlines()[1:]
    except OSError:
        return 0
    return sum(int(line.split()[4].split(":")[0], 16) for line in lines)


def listens(pid: int, port: int, kind: str, proc: Path = Path("/proc")) -> bool:
    """Whether any socket in the process's network namespace listens on a TCP port or is bound to a
    UDP port.
    """
    wanted = "0A" if kind == "tcp" else "07"
    for table in (kind, f"{kind}6"):
        try:
            lines = (proc / str(pid) / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for fields in (line.split() for line in lines):
            if int(fields[1].rpartition(":")[2], 16) == port and fields[3] == wanted:
                return True
    return False
