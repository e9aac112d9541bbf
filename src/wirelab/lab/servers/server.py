"""The interface of server drivers, the context of a start, and a running server."""

from __future__ import annotations

import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from wirelab.lab.host_cpu import slower
from wirelab.lab.hosts import Hosts
from wirelab.lab.manifests import ServerManifest
from wirelab.lab.process import family, kill_if_alive
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.result import ServerInfo
from wirelab.model.script import Script

if TYPE_CHECKING:
    from wirelab.lab.certificates import Certificates

# Servers in the JVM and on Erlang need seconds to start, and many may start at the same time; on a
# busy machine a multiple of it.
READY_TIMEOUT_S = 60.0
POLL_S = 0.01


class Watcher(Struct):
    """A process that records the queue depth of a server, and its file: lines of ns and numbers."""

    process: subprocess.Popen[bytes]
    path: Path


class Server(Struct):
    """A running server: its description, and its first process."""

    info: ServerInfo
    process: subprocess.Popen[bytes]
    # Processes that it depends on. They end after it.
    helpers: tuple[subprocess.Popen[bytes], ...] = ()
    # The process that records its queue depth, if it reports one.
    watcher: Watcher | None = None

    def pids(self) -> list[int]:
        """Its processes: the first, and all its descendants."""
        return family(self.process.pid)

    def stop(self) -> None:
        """Kill it. A clean shutdown is not needed, because its folder is removed."""
        kill(self.process)
        for helper in self.helpers:
            end(helper)
        if self.watcher is not None:
            end(self.watcher.process)


class Site(Struct, frozen=True):
    """The context of a server: it starts on the host `server`, with its files in `folder`."""

    protocol: str
    port: int
    hosts: Hosts
    folder: Path
    transport: str = ""
    qos: str = ""
    # The script that the server itself answers by, if it does.
    script: Script | None = None
    certificates: Certificates | None = None
    # Whether its queue depth is recorded. Reading it twice per second costs CPU time.
    watched: bool = True

    @property
    def address(self) -> str:
        """The IPv4 address to listen on."""
        return self.hosts.address("server")

    @property
    def responding(self) -> list[str]:
        """The arguments that make a server the responder; empty if it is not."""
        return [] if self.script is None else ["--script", msgspec.json.encode(self.script).decode()]

    @property
    def log(self) -> Path:
        """The log of the server."""
        return self.folder / "server.log"

    def data(self) -> Path:
        """A new folder for the server's data."""
        folder = self.folder / "server"
        folder.mkdir(exist_ok=True)
        return folder

    def launch(self, argv: list[str], environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a program on the host. Its standard error goes to the log."""
        if environment:
            argv = ["/usr/bin/env", *(f"{key}={value}" for key, value in environment.items()), *argv]
        with self.log.open("ab") as log:
            return self.hosts.start("server", argv, log, self.folder)


class Driver(ABC):
    """Starts one kind of server. The manifest names the class and is its argument."""

    def __init__(self, manifest: ServerManifest) -> None:
        self.manifest = manifest

    @property
    def name(self) -> str:
        """The name of the kind."""
        return self.manifest.name

    @abstractmethod
    def find(self, protocol: str) -> str:
        """The program's path. Raises BadInput with the command that installs it."""

    def version(self, protocol: str) -> str:  # noqa: ARG002
        """Its version without a start; "" if only a running server reports it."""
        return ""

    @abstractmethod
    def start(self, site: Site) -> Server:
        """Start it and wait until it is ready.

        The manifest has been checked. Raises BadInput, MeasurementFailed.
        """


def program(name: str, install: str) -> str:
    """A program of the system. Raises BadInput with the command that installs it."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise BadInput(name, "not found", install)
    return found


def wait_until(ready: Callable[[], bool], name: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a started server is ready.

    Raises MeasurementFailed with the last line of its log.
    """
    deadline = time.monotonic() + READY_TIMEOUT_S * slower()
    try:
        while not ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise MeasurementFailed(name, f"did not become ready: {tail(log)}")
            time.sleep(POLL_S)
    except BaseException:
        # Also on Ctrl-C: no other code can end it yet.
        kill(process)
        raise


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all its descendants."""
    # The id of a reaped process may belong to another process by now.
    for pid in family(process.pid) if process.poll() is None else []:
        kill_if_alive(pid)
    process.wait()


def end(process: subprocess.Popen[bytes]) -> None:
    """Terminate a process; kill it after a timeout."""
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
