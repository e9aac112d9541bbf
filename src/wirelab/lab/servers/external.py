"""A server that already runs outside the lab: `--server NAME=HOST:PORT`.

In the lab a program forwards TCP connections to it.
"""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

from wirelab.lab.manifests import ServerManifest
from wirelab.lab.process import listens
from wirelab.lab.protocols import protocols
from wirelab.lab.servers.server import Driver, Server, Site, end, wait_until
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.host_port import HostPort
from wirelab.model.result import ServerInfo
from wirelab.system.binaries import find
from wirelab.system.child_guard import tied

PROGRAM = "wirelab-server-forward"
# Relative to the trial's folder: a Unix socket's path has 107 bytes at most (unix(7)).
SOCKET = "outside.sock"
CONNECT_TIMEOUT_S = 3.0


def is_external(server: str) -> bool:
    """Whether a server's level names an address."""
    return "=" in server


class External(Driver):
    """A server at an address. Raises BadInput for a text that is not NAME=HOST:PORT."""

    def __init__(self, text: str) -> None:
        name, _, self.address = text.partition("=")
        super().__init__(ServerManifest(name=name, driver="", title=name, serves=()))
        found = HostPort.parse(self.address)
        if not name or found is None:
            raise BadInput(
                f"server '{text}'", "not of the form NAME=HOST:PORT", "write it like vernemq=10.0.0.7:1883"
            )
        self.host, self.port = found.host, found.port

    def find(self, protocol: str) -> str:
        """Its address, if it accepts connections. Raises BadInput."""
        reachable = [known.name for known in protocols().values() if known.external]
        if protocol not in reachable:
            why = f"{protocol} cannot reach it from a lab"
            raise BadInput(f"server {self.name}", why, f"choose one of {', '.join(reachable)}")
        try:
            socket.create_connection((self.host, self.port), CONNECT_TIMEOUT_S).close()
        except OSError as error:
            why = f"no connection to {self.address}: {error.strerror or error}"
            raise BadInput(
                f"server {self.name}",
                why,
                "start it, or correct the address (docs/how-to/external-server.md)",
            ) from None
        return self.address

    def start(self, site: Site) -> Server:
        """Start the forwarding program on the lab's server host."""
        if site.certificates is not None:
            why = "its certificate does not name its address in the lab"
            raise BadInput(f"transport {site.transport}", why, "measure it over tcp")
        listen = f"{site.address}:{site.port}"
        process = site.launch([find(PROGRAM), "inside", "--listen", listen, "--socket", SOCKET])
        wait_until(lambda: listens(process.pid, site.port, "tcp"), self.name, process, site.log)
        return Server(ServerInfo(self.name, "", {"address": self.address}), process)


class Outside:
    """The process outside the lab that connects to the server, for one trial."""

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
