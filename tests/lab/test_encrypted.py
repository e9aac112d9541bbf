"""Peers of an encrypted trial trust the certificate of its server."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.factories import a_payload, a_trial
from wirelab.lab.hosts import Loopback
from wirelab.lab.processes import Processes
from wirelab.lab.servers.server import Server
from wirelab.model.result import ServerInfo
from wirelab.model.trial import Workload

pytestmark = pytest.mark.first_case

TRIAL = a_trial(
    "trial",
    payload=a_payload(codec="json/serde_json"),
    protocol="amqp",
    qos="confirm",
    workload=Workload(rate_hz=5.0, count=10),
    server="rabbitmq",
    transport="tls",
)


def trusted(folder: Path, home: Path, server: Server | None) -> bytes:
    """The authority that the peers of a trial in `folder` trust."""
    folder.mkdir(exist_ok=True)
    made = Processes(TRIAL, Loopback(), folder, server=server, home=home).site.certificates
    assert made is not None
    return made.authority.read_bytes()


def test_trials_of_a_chain_trust_the_certificate_of_its_server(
    tmp_path: Path,
) -> None:
    with subprocess.Popen(["true"]) as process:
        first = trusted(tmp_path / "first", tmp_path, None)
        running = Server(ServerInfo("rabbitmq", "", {}), process)
        assert trusted(tmp_path / "second", tmp_path, running) == first
        assert trusted(tmp_path / "third", tmp_path, None) != first
