"""Run wirelab as a user does, and check what it leaves on the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.noise_retry import busy_trials, undisturbed

ARGV = [sys.executable, "-c", "from wirelab.cli import main; main()"]
# They catch what hangs: a machine that compiles a pack first, or has other work, takes its time.
LIMIT_S = 600
MARK = "WIRELAB_TEST_FAMILY"


def wirelab(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run wirelab to its end."""
    return subprocess.run(
        [*ARGV, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=LIMIT_S, **options
    )


def measured(folder: Path, *arguments: str | Path) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Run a command that measures, again where other work disturbed it: what it said, and the run's
    directory in `folder`.
    """

    def attempt(number: int) -> tuple[subprocess.CompletedProcess[str], Path]:
        return wirelab(*arguments, "-o", folder / f"run-{number}"), folder / f"run-{number}"

    def why(came: tuple[subprocess.CompletedProcess[str], Path]) -> str:
        done, directory = came
        if not (directory / "run.db").exists():
            return ""
        return busy_trials(directory) or ("replicates differ" if "too few replicates" in done.stdout else "")

    return undisturbed(attempt, why)


def refused(*arguments: str | Path) -> str:
    """The one sentence with which wirelab refuses its input."""
    done = wirelab(*arguments, "--quiet") if arguments[0] in ("compare", "run") else wirelab(*arguments)
    assert done.returncode == 3, (done.returncode, done.stdout[-500:], done.stderr[-2000:])
    assert done.stderr.startswith("wirelab: ")
    assert done.stderr.count("\n") == 1, done.stderr
    assert "; " in done.stderr, "no next step"
    return done.stderr


def wait_for(condition: Callable[[], bool], what: str, limit_s: float = LIMIT_S) -> None:
    """Poll until a condition holds; fails with its name at the limit."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, f"waited {limit_s:g} s in vain: {what}"
        time.sleep(0.02)


class Family:
    """One wirelab in the background with all it starts: known by a mark in the environment that
    every child inherits.
    """

    def __init__(self, folder: Path, *arguments: str | Path, **environment: str) -> None:
        self.mark = f"{MARK}={uuid.uuid4().hex}"
        self.temporary = folder / f"tmp-{self.mark[-8:]}"
        self.temporary.mkdir()
        name, _, value = self.mark.partition("=")
        self.errors = folder / f"stderr-{self.mark[-8:]}"
        with self.errors.open("wb") as log:
            self.process = subprocess.Popen(
                [*ARGV, *map(str, arguments)],
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                env={**os.environ, **environment, name: value, "TMPDIR": str(self.temporary)},
            )
        self.namespaces: set[str] = set()

    def members(self) -> dict[int, str]:
        """Living processes of the family with their command lines; their network namespaces are
        remembered.
        """
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if self.mark.encode() not in (entry / "environ").read_bytes().split(b"\0"):
                    continue
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                namespace = os.readlink(entry / "ns/net")
            except OSError:
                continue
            found[int(entry.name)] = command
            self.namespaces.add(namespace)
        self.namespaces.discard(os.readlink("/proc/self/ns/net"))
        return found

    def expect_nothing_left(self) -> None:
        """No process, network namespace or temporary file of the family is left."""
        wait_for(lambda: self.members() == {}, f"all processes gone, left: {self.members()}", 60)
        wait_for(lambda: not self.namespaces & net_namespaces(), "all namespaces gone", 60)
        assert list(self.temporary.iterdir()) == []
        assert not Path("/run/wirelab").exists()


def folder_of(pid: int) -> Path:
    """Where a process works; the root directory for one that has gone."""
    try:
        return Path(os.readlink(f"/proc/{pid}/cwd"))
    except OSError:
        return Path("/")


def parent_of(pid: int) -> int:
    """The parent of a process; 0 for one that has gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


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
