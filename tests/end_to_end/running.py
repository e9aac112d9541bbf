"""Run wirelab as a user does, and look at what it leaves on the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ARGV = [sys.executable, "-c", "from wirelab.cli import main; main()"]
LIMIT_S = 120


def wirelab(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run wirelab to its end."""
    return subprocess.run(
        [*ARGV, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=LIMIT_S, **options
    )


def wait_for(condition: Callable[[], bool], what: str, limit_s: float = 60.0) -> None:
    """Poll until a condition holds; fails with its name at the limit."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, f"waited {limit_s:g} s in vain: {what}"
        time.sleep(0.02)


def processes_of(directory: Path) -> list[str]:
    """Command lines of living processes that name a directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            if str(directory) in command and state != "Z":
                found.append(command)
    return found


def net_namespaces() -> set[str]:
    """Network namespaces of all living processes."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found.add(os.readlink(entry / "ns/net"))
            except OSError:
                continue
    return found


def devices() -> set[str]:
    """Network devices outside any lab."""
    return set(os.listdir("/sys/class/net"))
