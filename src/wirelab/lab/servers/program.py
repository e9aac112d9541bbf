"""Servers that write one line of JSON when they are ready (docs/contracts/peer.md)."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from wirelab.lab.host_cpu import slower
from wirelab.lab.servers.server import READY_TIMEOUT_S, Driver, Server, Site, tail
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.result import ServerInfo
from wirelab.system.binaries import find


class Program(Driver):
    """The program that the manifest names for the protocol, for example a built-in server."""

    def find(self, protocol: str) -> str:
        """The program's path. Raises BadInput."""
        served = self.manifest.served(protocol)
        if served is None:
            raise BadInput(f"server '{self.name}'", f"does not serve {protocol}", "name another server")
        try:
            return find(served.program)
        except BadInput as error:
            if not self.manifest.install:
                raise
            raise BadInput(error.what, error.why, self.manifest.install) from None

    def start(self, site: Site) -> Server:
        """Start it and wait for its line."""
        words = ["--listen", f"{site.address}:{site.port}", *site.responding]
        if site.certificates is not None:
            words += ["--certificate", str(site.certificates.server), "--key", str(site.certificates.key)]
        elif site.transport not in ("", "tcp"):
            words += ["--transport", site.transport]
        return served_by(site.launch([self.find(site.protocol), *words]), site)


def served_by(process: subprocess.Popen[bytes], site: Site) -> Server:
    """Wait until a started program reports that it listens. Raises MeasurementFailed."""
    event = _first_line(process, site.log)
    limits = {str(k): str(v) for k, v in event.get("limits", {}).items()}
    info = ServerInfo(str(event.get("name", "built-in")), str(event.get("version", "")), limits)
    return Server(info, process)


def _first_line(process: subprocess.Popen[bytes], log: Path) -> dict[str, Any]:
    # A server that never answers must not block the trial. The timer kills it, which ends the read.
    timer = threading.Timer(READY_TIMEOUT_S * slower(), process.kill)
    timer.start()
    assert process.stdout is not None
    line = process.stdout.readline()
    timer.cancel()
    try:
        event = json.loads(line)
    except ValueError:
        raise MeasurementFailed("server", f"did not become ready: {tail(log)}") from None
    if not isinstance(event, dict) or event.get("event") != "ready":
        raise MeasurementFailed("server", f"printed {line[:80]!r} instead of ready")
    return event
