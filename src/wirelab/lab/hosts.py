"""The hosts of a lab, on which processes start (docs/contracts/lab.md)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import IO, Any, Protocol

LAB = Path("/run/wirelab")


class Hosts(Protocol):
    """Named hosts, and the link between them."""

    def address(self, host: str) -> str:
        """The IPv4 address of a host."""

    def start(self, host: str, argv: list[str], log: IO[bytes], cwd: Path) -> subprocess.Popen[bytes]:
        """Start a program on a host, with pipes to its standard input and output."""

    def epoch(self) -> None:
        """Restart the link's time, counters and random streams."""

    def skip(self, ns: int) -> bool:
        """Advance the link's time, unless frames are in flight. Returns whether it was advanced."""

    def snapshot(self) -> dict[str, Any]:
        """The link's counters since the last epoch."""


class LabHosts:
    """Network namespaces behind emulated links, made by `wirelab-link lab` around this process."""

    def __init__(self, link_binary: str, lab: Path = LAB) -> None:
        self._binary = link_binary
        self._addresses = {
            name: str(host["address"])
            for name, host in json.loads((lab / "lab.json").read_text())["hosts"].items()
        }
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(lab / "link.sock"))
        self._answers = self._socket.makefile("rb")

    def address(self, host: str) -> str:
        """The IPv4 address of a host."""
        return self._addresses[host]

    def start(self, host: str, argv: list[str], log: IO[bytes], cwd: Path) -> subprocess.Popen[bytes]:
        """Start a program in a host's network namespace."""
        return _popen([self._binary, "exec", host, "--", *argv], log, cwd)

    def epoch(self) -> None:
        """Restart the link's time, counters and random streams."""
        self._ask("epoch")

    def skip(self, ns: int) -> bool:
        """Advance the link's time, unless frames are in flight. Returns whether it was advanced."""
        return bool(self._ask("skip", ns=ns)["skipped"])

    def snapshot(self) -> dict[str, Any]:
        """The link's counters since the last epoch."""
        return self._ask("snapshot")

    def _ask(self, command: str, **keys: int) -> dict[str, Any]:
        self._socket.sendall(json.dumps({"cmd": command, **keys}).encode() + b"\n")
        answer: dict[str, Any] = json.loads(self._answers.readline())
        return answer


class Loopback:
    """Without a lab: every host is this one.

    For the mock protocol and tests of the orchestration.
    """

    def address(self, host: str) -> str:  # noqa: ARG002
        """Always loopback."""
        return "127.0.0.1"

    def start(self, host: str, argv: list[str], log: IO[bytes], cwd: Path) -> subprocess.Popen[bytes]:  # noqa: ARG002
        """Start a program here."""
        return _popen(argv, log, cwd)

    def epoch(self) -> None:
        """There is no link."""

    def skip(self, ns: int) -> bool:  # noqa: ARG002
        """There is no link."""
        return False

    def snapshot(self) -> dict[str, Any]:
        """There is no link."""
        return {}


def _popen(argv: list[str], log: IO[bytes], cwd: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        cwd=cwd,
        env={**os.environ, "RUST_BACKTRACE": "0"},
    )
