"""Cells as forks of one process that has their modules loaded (wirelab.lab.fork_server)."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import msgspec

from wirelab.lab.fork_server import CellRequest
from wirelab.system.child_guard import tied, uninterrupted


class CellProcess:
    """The process around a lab and its cell, with pipes to the cell."""

    def __init__(self, pidfd: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._pidfd, self.stdin, self.stdout = pidfd, stdin, stdout

    def has_ended(self, wait_s: float | None = 0) -> bool:
        """Whether it has ended, after at most so many seconds; None waits for it."""
        return bool(select.select([self._pidfd], [], [], wait_s)[0])

    def kill(self) -> None:
        """End it. Its lab ends with it, and everything in the lab."""
        if self._pidfd < 0:
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        self.has_ended(None)
        os.close(self._pidfd)
        self._pidfd = -1
        for pipe in (self.stdin, self.stdout):
            with contextlib.suppress(OSError):
                pipe.close()


class ForkServer:
    """A fork server. It ends with this process."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, uninterrupted():
            # In a session of its own, so that Ctrl-C in the terminal reaches only us.
            self._process = subprocess.Popen(
                [sys.executable, "-m", "wirelab.lab.fork_server", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                preexec_fn=tied(),  # noqa: PLW1509  (no lock is taken there)
            )

    @property
    def pid(self) -> int:
        """Its process ID."""
        return self._process.pid

    def start(self, link: str, spec: Path, folders: Sequence[Path], log: IO[bytes]) -> CellProcess:
        """Start a cell in a lab of its own. Raises OSError if the fork server has ended."""
        request = CellRequest(link, str(spec), [str(folder) for folder in folders])
        (stdin, to_cell), (from_cell, stdout) = os.pipe(), os.pipe()
        try:
            socket.send_fds(self._socket, [msgspec.json.encode(request)], [stdin, stdout, log.fileno()])
            answer, fds, _, _ = socket.recv_fds(self._socket, 1, 1)
            if not answer:
                raise ConnectionResetError("the fork server has ended")
        except OSError:
            os.close(to_cell)
            os.close(from_cell)
            raise
        finally:
            os.close(stdin)
            os.close(stdout)
        return CellProcess(fds[0], open(to_cell, "wb", buffering=0), open(from_cell, "rb", buffering=0))

    def close(self) -> None:
        """End it, and its cells."""
        self._socket.close()
        self._process.kill()
        self._process.wait()
