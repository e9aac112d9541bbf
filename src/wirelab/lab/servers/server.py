"""What a driver of servers implements, where a server starts, and one that runs."""

from __future__ import annotations

import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from wirelab.lab.hosts import Hosts
from wirelab.lab.manifests import ServerManifest
from wirelab.lab.process import family, kill_if_alive
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.result import ServerInfo

if TYPE_CHECKING:
    from wirelab.lab.certificates import Certificates

# Servers in the JVM and on Erlang take seconds each, and many may start at once.
READY_TIMEOUT_S = 60.0
POLL_S = 0.01


class Watcher(Struct):
    """A process that writes down how many messages wait at a server, and its file: lines of ns and number."""

    process: subprocess.Popen[bytes]
    path: Path


class Server(Struct):
    """A running server: what it told of itself, and its first process."""

    info: ServerInfo
    process: subprocess.Popen[bytes]
    # Processes it needs beside it; they end after it.
    helpers: tuple[subprocess.Popen[bytes], ...] = ()
    # Who counts what waits at it, where it tells.
    watcher: Watcher | None = None

    def pids(self) -> list[int]:
        """Its processes: the first, and all that descend from it."""
        return family(self.process.pid)

    def stop(self) -> None:
        """End it at once: it need not put in order what goes with its folder."""
        kill(self.process)
        for helper in self.helpers:
            end(helper)
        if self.watcher is not None:
            end(self.watcher.process)


class Site(Struct, frozen=True):
    """Where and for what a server starts: on the host `server`, with its files in `folder`."""

    protocol: str
    port: int
    hosts: Hosts
    folder: Path
    transport: str = ""
    qos: str = ""
    # What the server answers with, where it is the application as well.
    application: str = ""
    certificates: Certificates | None = None
    # Whether what waits at it is counted, where it tells: asking costs CPU, twice a second.
    watched: bool = True

    @property
    def address(self) -> str:
        """The IPv4 address to listen on."""
        return self.hosts.address("server")

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.folder / "server.log"

    def data(self) -> Path:
        """A fresh folder for what the server stores."""
        folder = self.folder / "server"
        folder.mkdir(exist_ok=True)
        return folder

    def launch(self, argv: list[str], environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a program on the host; what it writes to standard error is kept in the log."""
        if environment:
            argv = ["/usr/bin/env", *(f"{key}={value}" for key, value in environment.items()), *argv]
        with self.log.open("ab") as log:
            return self.hosts.start("server", argv, log, self.folder)


class Driver(ABC):
    """Starts one kind of server. The manifest names its class, which is made with the manifest."""

    def __init__(self, manifest: ServerManifest) -> None:
        self.manifest = manifest

    @property
    def name(self) -> str:
        """The name of the kind."""
        return self.manifest.name

    @abstractmethod
    def find(self, protocol: str) -> str:
        """The program's path. Raises BadInput with the line that installs it."""

    def version(self, protocol: str) -> str:  # noqa: ARG002
        """Its version, found without starting it; "" where only a running one tells."""
        return ""

    @abstractmethod
    def start(self, site: Site) -> Server:
        """Start it and wait until it is ready. The manifest has been checked. Raises BadInput, MeasurementFailed."""


def program(name: str, install: str) -> str:
    """A program of the system. Raises BadInput with the line that installs it."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise BadInput(name, "not found", install)
    return found


def wait_until(ready: Callable[[], bool], name: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server that just started is ready. Raises MeasurementFailed with the last line it said."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    try:
        while not ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise MeasurementFailed(name, f"did not become ready: {tail(log)}")
            time.sleep(POLL_S)
    except BaseException:
        # Ctrl-C too: nobody else knows of it yet.
        kill(process)
        raise


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that descend from it, at once."""
    # The id of one that has ended and been waited for may be another's by now.
    for pid in family(process.pid) if process.poll() is None else []:
        kill_if_alive(pid)
    process.wait()


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end, then make it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def tail(log: Path) -> str:
    """The last line of a log."""
    try:
        lines = log.read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][:200] if lines else "it printed nothing"
