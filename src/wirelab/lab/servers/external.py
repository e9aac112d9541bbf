"""A server that runs beyond the lab already: `--server NAME=HOST:PORT`. Its place in the lab is taken by a program that carries TCP connections on."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

from wirelab.lab.binaries import find
from wirelab.lab.child_guard import tied
from wirelab.lab.process import listens
from wirelab.lab.servers.server import Server, Site, end, wait_until
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.result import ServerInfo

PROGRAM = "wirelab-server-forward"
# Relative to the trial's folder: a Unix socket's path has 107 bytes at most (unix(7)).
SOCKET = "outside.sock"
OVER_TCP = ("mqtt", "mqtt5", "amqp", "amqp10", "xmpp", "nats", "http", "http2", "websocket", "grpc", "tcp")
CONNECT_TIMEOUT_S = 3.0


def is_external(server: str) -> bool:
    """Whether a server's level names an address."""
    return "=" in server


class External:
    """A server at an address. Raises BadInput for a text that is no NAME=HOST:PORT."""

    weight = 1

    def __init__(self, text: str) -> None:
        self.name, _, self.address = text.partition("=")
        host, _, port = self.address.rpartition(":")
        if not self.name or not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
            raise BadInput(f"server '{text}'", "no NAME=HOST:PORT", "write it like vernemq=10.0.0.7:1883")
        self.host, self.port = host.strip("[]"), int(port)

    def find(self, protocol: str) -> str:
        """Its address, where somebody listens. Raises BadInput."""
        if protocol not in OVER_TCP:
            raise BadInput(
                f"server {self.name}",
                f"{protocol} does not reach it from a lab",
                f"name {', '.join(OVER_TCP)}",
            )
        try:
            socket.create_connection((self.host, self.port), CONNECT_TIMEOUT_S).close()
        except OSError as error:
            why = f"nobody answers at {self.address}: {error.strerror or error}"
            raise BadInput(
                f"server {self.name}",
                why,
                "start it, or correct the address (docs/how-to/external-server.md)",
            ) from None
        return self.address

    def version(self, protocol: str) -> str:  # noqa: ARG002
        """It is not asked."""
        return ""

    def start(self, site: Site) -> Server:
        """Take its place on the lab's server host."""
        if site.certificates is not None:
            why = "its certificate does not name its place in the lab"
            raise BadInput(f"transport {site.transport}", why, "measure it over tcp")
        listen = f"{site.address}:{site.port}"
        process = site.launch([find(PROGRAM), "inside", "--listen", listen, "--socket", SOCKET])
        wait_until(lambda: listens(process.pid, site.port, "tcp"), self.name, process, site.log)
        return Server(ServerInfo(self.name, "", {"address": self.address}), process)


class Outside:
    """The process that makes connections to a server from beyond the lab, for the life of one trial."""

    def __init__(self, server: str, folder: Path) -> None:
        argv = [find(PROGRAM), "outside", "--to", External(server).address, "--socket", SOCKET]
        with (folder / "outside.log").open("wb") as log:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                start_new_session=True,
                preexec_fn=tied(),  # noqa: PLW1509  (no lock is taken there)
            )
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            self.end()
            raise MeasurementFailed(PROGRAM, f"did not start; see {folder / 'outside.log'}")

    def end(self) -> None:
        """End it."""
        end(self._process)
