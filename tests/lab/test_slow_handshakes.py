"""Servers give handshakes over slow links an hour. Their settings are read."""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path
from typing import Any

from wirelab.lab import servers
from wirelab.lab.certificates import Certificates
from wirelab.lab.hosts import Loopback
from wirelab.lab.servers import Site
from wirelab.model.errors import BadInput
from wirelab.system.binaries import find


class NotStarted(Exception):
    """Raised in place of a start."""


class NoStart(Loopback):
    """A host on which nothing starts."""

    def start(self, *_: Any) -> Any:
        raise NotStarted


def settings_of(name: str, protocol: str, folder: Path) -> str:
    """The settings that a server over TLS would have been started with."""
    made = Certificates(folder / "authority.pem", folder / "server.pem", folder / "key.pem")
    site = Site(protocol, 4000, NoStart(), folder, "tls", certificates=made)
    with contextlib.suppress(NotStarted, BadInput):
        servers.kind(name).start(site)
    return next(path.read_text() for path in folder.rglob("*.conf"))


def test_rabbitmq_waits_an_hour_for_the_handshakes_of_amqp_and_tls(tmp_path: Path) -> None:
    lines = settings_of("rabbitmq", "amqp", tmp_path).splitlines()
    assert "handshake_timeout = 3600000" in lines
    assert "ssl_handshake_timeout = 3600000" in lines


def test_nats_server_waits_an_hour_for_the_handshake_of_tls(tmp_path: Path) -> None:
    assert json.loads(settings_of("nats-server", "nats", tmp_path))["tls"]["timeout"] == 3600


def test_the_zenoh_router_waits_an_hour_for_a_client() -> None:
    argv = [find("wirelab-server-zenoh"), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as router:
        assert router.stdout is not None
        ready = json.loads(router.stdout.readline())
        router.kill()
    assert ready["limits"]["accept_timeout_s"] == 3600
