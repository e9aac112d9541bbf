"""Servers that embed in a JVM: errors in one sentence, and the command that installs missing parts."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from wirelab.lab.hosts import Loopback
from wirelab.lab.servers import Site, embedded, kinds, start
from wirelab.lab.servers.embedded import Embedded
from wirelab.model.errors import BadInput, MeasurementFailed

pytestmark = pytest.mark.first_case

EMBEDDED = {name: kind for name, kind in kinds().items() if isinstance(kind, Embedded)}


@pytest.fixture(params=EMBEDDED.values(), ids=EMBEDDED)
def kind(request: pytest.FixtureRequest) -> Embedded:
    """Each of them."""
    found: Embedded = request.param
    try:
        found.find("mqtt")
    except BadInput as error:
        pytest.skip(error.sentence)
    return found


def test_a_taken_port_is_reported_in_one_sentence(kind: Embedded, tmp_path: Path) -> None:
    how = socket.SOCK_DGRAM if kind.name == "californium" else socket.SOCK_STREAM
    with socket.socket(type=how) as other:
        other.bind(("127.0.0.1", 0))
        if how == socket.SOCK_STREAM:
            other.listen()
        port = other.getsockname()[1]
        transport = kind.manifest.serves[0].transports[0]
        with pytest.raises(MeasurementFailed, match=f"listen on 127.0.0.1:{port}: .*already in use"):
            kind.start(Site("mqtt", port, Loopback(), tmp_path, transport))


def test_an_unknown_option_ends_with_code_3(kind: Embedded) -> None:
    jars = embedded.JARS / kind.name
    done = subprocess.run(
        ["java", "-cp", f"{jars}/*", kind.settings.main, "--lisen", "127.0.0.1:1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert "--lisen: write it like --listen 127.0.0.1:5683" in done.stderr


def test_a_transport_or_qos_that_a_server_does_not_support_is_named_with_alternatives(tmp_path: Path) -> None:
    site = Site("mqtt", 1, Loopback(), tmp_path, "quic")
    with pytest.raises(BadInput) as refused:
        start("artemis", site)
    assert refused.value.sentence == (
        "transport quic: not supported by artemis for mqtt; choose tcp or tls or ws or wss"
    )
    with pytest.raises(BadInput) as refused:
        start("rabbitmq", Site("mqtt", 1, Loopback(), tmp_path, "wss", "2"))
    assert refused.value.sentence == (
        "qos 2: not supported by rabbitmq for mqtt; choose 0 or 1, or use --server artemis or hivemq or mosquitto"
    )


def test_jars_that_are_not_here_name_the_line_that_builds_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(embedded, "JARS", tmp_path)
    with pytest.raises(BadInput, match="hivemq: its jars are not built; run make hivemq"):
        EMBEDDED["hivemq"].find("mqtt")
