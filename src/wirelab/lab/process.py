"""What the kernel says of a running process: CPU time, waiting, memory, what lies in its send queues."""

from __future__ import annotations

from pathlib import Path

from wirelab.model.result import Usage


def usage(pid: int, proc: Path = Path("/proc")) -> Usage:
    """CPU time and run-queue delay over all threads, peak resident set. Zeros for a process that has gone."""
    cpu = delay = 0
    root = proc / str(pid)
    try:
        for thread in (root / "task").iterdir():
            # schedstat: ns on a CPU, ns waiting on a run queue, time slices (proc(5)).
            ran, waited, _ = (thread / "schedstat").read_text().split()
            cpu, delay = cpu + int(ran), delay + int(waited)
        status = (root / "status").read_text()
    except OSError:
        return Usage()
    peak = next((line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")), "0")
    return Usage(cpu_ns=cpu, run_delay_ns=delay, max_rss_bytes=int(peak) * 1024)


def difference(after: Usage, before: Usage) -> Usage:
    """What was used between two readings; the peak is the later one."""
    return Usage(
        cpu_ns=max(0, after.cpu_ns - before.cpu_ns),
        run_delay_ns=max(0, after.run_delay_ns - before.run_delay_ns),
        max_rss_bytes=after.max_rss_bytes,
    )


def unsent_bytes(pid: int, proc: Path = Path("/proc")) -> int:
    """Bytes in the send queues of all IPv4 sockets of the process's network namespace: sent but not yet acknowledged."""
    total = 0
    for table in ("tcp", "udp"):
        try:
            lines = (proc / str(pid) / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        total += sum(int(line.split()[4].split(":")[0], 16) for line in lines)
    return total


def listens(pid: int, port: int, kind: str, proc: Path = Path("/proc")) -> bool:
    """Whether any socket in the process's network namespace listens on a TCP port or is bound to a UDP port."""
    try:
        lines = (proc / str(pid) / "net" / kind).read_text().splitlines()[1:]
    except OSError:
        return False
    wanted = "0A" if kind == "tcp" else "07"
    return any(
        int(fields[1].split(":")[1], 16) == port and fields[3] == wanted
        for fields in (line.split() for line in lines)
    )
