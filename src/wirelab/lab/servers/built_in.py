"""Built-in servers: our own programs, which say `ready` in one line of JSON (docs/contracts/peer.md)."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from wirelab.lab.binaries import find
from wirelab.lab.servers.server import READY_TIMEOUT_S, Server, Site, tail
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.result import ServerInfo

# They take a certificate where their transport is encrypted.
ENCRYPTING = {
    "coap": "wirelab-server-coap",
    "zenoh": "wirelab-server-zenoh",
    "tcp": "wirelab-server-raw",
    "udp": "wirelab-server-raw",
    "tls": "wirelab-server-raw",
    "quic": "wirelab-server-quic",
    "http": "wirelab-server-http",
    "http2": "wirelab-server-http",
    "websocket": "wirelab-server-websocket",
    "grpc": "wirelab-server-grpc",
}
PROGRAMS = {
    "mqtt": "wirelab-server-mqtt",
    "mqtt5": "wirelab-server-mqtt",
    **ENCRYPTING,
}


class BuiltIn:
    """The server that ships with wirelab for a protocol."""

    name = "built-in"
    weight = 1

    def find(self, protocol: str) -> str:
        """The program's path. Raises BadInput."""
        return find(PROGRAMS[protocol])

    def version(self, protocol: str) -> str:  # noqa: ARG002
        """Only a running one tells."""
        return ""

    def start(self, site: Site) -> Server:
        """Start it and wait for its line."""
        process = site.launch(
            [self.find(site.protocol), "--listen", f"{site.address}:{site.port}", *_transport(site)]
        )
        return served(process, site)


def served(process: subprocess.Popen[bytes], site: Site) -> Server:
    """A program of ours that has just started, once it has said that it listens. Raises MeasurementFailed."""
    event = _first_line(process, site.log)
    limits = {str(k): str(v) for k, v in event.get("limits", {}).items()}
    info = ServerInfo(str(event.get("name", "built-in")), str(event.get("version", "")), limits)
    return Server(info, process)


def _transport(site: Site) -> list[str]:
    if site.protocol in ENCRYPTING and site.certificates is not None:
        return ["--certificate", str(site.certificates.server), "--key", str(site.certificates.key)]
    if site.transport in ("", "tcp"):
        return []
    if site.transport != "ws":
        raise BadInput(
            f"transport {site.transport}", "the built-in server has it not", "use --server mosquitto"
        )
    return ["--transport", site.transport]


def _first_line(process: subprocess.Popen[bytes], log: Path) -> dict[str, Any]:
    # A server that never answers must not hang the trial: the timer ends it, which ends the read.
    timer = threading.Timer(READY_TIMEOUT_S, process.kill)
    timer.start()
    assert process.stdout is not None
    line = process.stdout.readline()
    timer.cancel()
    try:
        event = json.loads(line)
    except ValueError:
        raise MeasurementFailed("server", f"did not become ready: {tail(log)}") from None
    if not isinstance(event, dict) or event.get("event") != "ready":
        raise MeasurementFailed("server", f"said {line[:80]!r} instead of ready")
    return event
