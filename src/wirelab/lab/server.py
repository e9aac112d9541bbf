"""Servers as plain child processes inside a lab: own configuration, ready-probe, version, limits, clean end."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from wirelab.lab.binaries import find
from wirelab.lab.hosts import Hosts
from wirelab.lab.process import listens
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.result import ServerInfo

READY_TIMEOUT_S = 15.0


class Server(Struct):
    """A running server."""

    info: ServerInfo
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """Ask it to end, then make it."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


BUILT_IN: dict[str, tuple[str, ...]] = {
    "mqtt": ("wirelab-server-mqtt",),
    "coap": ("wirelab-server-coap",),
    "tcp": ("wirelab-server-raw",),
    "udp": ("wirelab-server-raw",),
}


def start(name: str, protocol: str, port: int, hosts: Hosts, folder: Path) -> Server | None:
    """Start the server `name` for a protocol on the host `server`; None where the protocol has none.

    Raises BadInput when it is not installed, MeasurementFailed when it does not become ready.
    """
    if name == "none":
        return None
    starter: Callable[[str, int, Hosts, Path], Server] = _mosquitto if name == "mosquitto" else _built_in
    return starter(protocol, port, hosts, folder)


def _built_in(protocol: str, port: int, hosts: Hosts, folder: Path) -> Server:
    program, *arguments = BUILT_IN[protocol]
    argv = [find(program), *arguments, "--listen", f"{hosts.address('server')}:{port}"]
    with (folder / "server.log").open("wb") as log:
        process = hosts.start("server", argv, log, folder)
    event = _first_line(process, folder / "server.log")
    limits = {str(k): str(v) for k, v in event.get("limits", {}).items()}
    return Server(ServerInfo(str(event.get("name", program)), str(event.get("version", "")), limits), process)


def _first_line(process: subprocess.Popen[bytes], log: Path) -> dict[str, dict[str, str]]:
    # A server that never answers must not hang the trial: the timer ends it, which ends the read.
    timer = threading.Timer(READY_TIMEOUT_S, process.kill)
    timer.start()
    assert process.stdout is not None
    line = process.stdout.readline()
    timer.cancel()
    try:
        event = json.loads(line)
    except ValueError:
        raise MeasurementFailed("server", f"did not become ready: {_tail(log)}") from None
    if not isinstance(event, dict) or event.get("event") != "ready":
        raise MeasurementFailed("server", f"said {line[:80]!r} instead of ready")
    return event


def mosquitto_binary() -> str:
    """The path of mosquitto. Raises BadInput with the line that installs it."""
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise BadInput("mosquitto", "not found", "apt install mosquitto, or use --server built-in")
    return found


# mosquitto.conf(5): its default queue of 1,000 messages drops what it promised to deliver, silently; 0 means no limit.
MOSQUITTO_LIMITS = {"max_queued_messages": "0", "max_inflight_messages": "0", "max_queued_bytes": "0"}


def _mosquitto(protocol: str, port: int, hosts: Hosts, folder: Path) -> Server:  # noqa: ARG001
    binary = mosquitto_binary()
    address = hosts.address("server")
    lines = [
        "user root",
        "allow_anonymous true",
        "persistence false",
        "log_dest stderr",
        "set_tcp_nodelay true",
    ]
    lines += [f"{key} {value}" for key, value in MOSQUITTO_LIMITS.items()]
    lines.append(f"listener {port} {address}")
    configuration = folder / "mosquitto.conf"
    configuration.write_text("\n".join(lines) + "\n")
    with (folder / "server.log").open("wb") as log:
        process = hosts.start("server", [binary, "-c", str(configuration)], log, folder)
    deadline = time.monotonic() + READY_TIMEOUT_S
    while not listens(process.pid, port, "tcp"):
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise MeasurementFailed("mosquitto", f"did not become ready: {_tail(folder / 'server.log')}")
        time.sleep(0.005)
    version = re.search(r"mosquitto version (\S+)", (folder / "server.log").read_text(errors="replace"))
    return Server(ServerInfo("mosquitto", version[1] if version else "", MOSQUITTO_LIMITS), process)


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else "it said nothing"
