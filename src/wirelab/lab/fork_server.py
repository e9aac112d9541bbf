"""A process that has the cell's modules loaded and forks a cell for each trial:
`python -m wirelab.lab.fork_server FD`.

A new Python process takes 0.15 s of CPU time until it can begin a trial, a fork takes
a few milliseconds. FD is a socket; each request on it is a `CellRequest` in JSON, with the cell's
standard input, output and error as descriptors. The answer is one byte with a pidfd of the process
that holds the lab. The fork server ends when the socket closes or its parent ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, ParamSpec

import msgspec
from msgspec import Struct

from wirelab.lab import cell
from wirelab.lab.protocols import protocols
from wirelab.system.child_guard import tied

P = ParamSpec("P")
# Requests are small: the paths of a chain of trials.
MOST_BYTES = 65_536
# clone(2): mount, UTS, IPC, user, PID and network namespaces.
NAMESPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
# The lab's command. It says that the lab is made, and ends it when its standard input closes. It
# starts no other program: its environment could not be read meanwhile.
HOLD = ("sh", "-c", "echo made; read _")
_LIBC = ctypes.CDLL(None, use_errno=True)


class CellRequest(Struct, frozen=True):
    """The trials of a lab: `link` is the program that makes it from `spec`."""

    link: str
    spec: str
    folders: list[str]


def serve(connection: socket.socket) -> None:
    """Fork a process for each request until the socket closes."""
    protocols()
    # What is loaded now stays shared with the forks.
    gc.collect()
    gc.freeze()
    while True:
        data, fds, _, _ = socket.recv_fds(connection, MOST_BYTES, 3)
        if not data:
            return
        _reap()
        tie = tied()
        if (pid := os.fork()) == 0:
            tie()
            connection.close()
            _end_with(_hold_lab, msgspec.json.decode(data, type=CellRequest), fds)
        for fd in fds:
            os.close(fd)
        about = os.pidfd_open(pid)
        socket.send_fds(connection, [b"p"], [about])
        os.close(about)


def _reap() -> None:
    """Collect the forks that have ended. Their pidfds were passed on before."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _end_with(run: Callable[P, int], *arguments: P.args, **named: P.kwargs) -> NoReturn:
    """End this fork with the result of `run`, whatever happens in it."""
    code = 1
    try:
        code = run(*arguments, **named)
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _hold_lab(request: CellRequest, fds: list[int]) -> int:
    """Make the lab, run the cell in it, end the lab."""
    os.setsid()
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    lab = subprocess.Popen(
        [request.link, "lab", request.spec, "--", *HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=tied(),  # noqa: PLW1509  (this process has one thread)
    )
    assert lab.stdin is not None
    assert lab.stdout is not None
    if lab.stdout.readline() != b"made\n":
        return lab.wait()
    command = _only_child(_only_child(lab.pid))
    environment = Path(f"/proc/{command}/environ").read_bytes()
    tie = tied(os.getppid())
    _enter(command)
    # The kernel drops the tie when the user namespace changes.
    tie()
    if (pid := os.fork()) == 0:
        lab.stdin.close()
        lab.stdout.close()
        _end_with(_run_cell, environment, request.folders)
    os.waitpid(pid, 0)
    lab.stdin.close()
    return lab.wait()


def _run_cell(environment: bytes, folders: list[str]) -> int:
    os.environ.clear()
    for pair in filter(None, environment.split(b"\0")):
        name, _, value = pair.partition(b"=")
        os.environb[name] = value
    cell.run([Path(folder) for folder in folders])
    return 0


def _only_child(pid: int) -> int:
    """The process that the main thread of another started first."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def _enter(pid: int) -> None:
    """Enter the namespaces of a process; forks of this one are in its PID namespace."""
    about = os.pidfd_open(pid)
    if _LIBC.setns(about, NAMESPACES) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"entering the lab: {os.strerror(number)}")
    os.close(about)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
