"""Servers that embed in a JVM: what they refuse is one sentence, and what is missing names the line that installs it."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from wirelab.lab.hosts import Loopback
from wirelab.lab.servers import KINDS, Site, embedded
from wirelab.lab.servers.embedded import EMBEDDED, Embedded
from wirelab.model.errors import BadInput, MeasurementFailed

pytestmark = pytest.mark.first_case


@pytest.fixture(params=EMBEDDED, ids=[kind.name for kind in EMBEDDED])
def kind(request: pytest.FixtureRequest) -> Embedded:
    """Each of them."""
    found: Embedded = request.param
    try:
        found.find("mqtt")
    except BadInput as error:
        pytest.skip(error.sentence)
    return found


def test_a_port_that_is_taken_is_said_in_one_sentence(kind: Embedded, tmp_path: Path) -> None:
    how = socket.SOCK_DGRAM if kind.name == "californium" else socket.SOCK_STREAM
    with socket.socket(type=how) as other:
        other.bind(("127.0.0.1", 0))
        if how == socket.SOCK_STREAM:
            other.listen()
        port = other.getsockname()[1]
        transport = kind.transports[0]
        with pytest.raises(MeasurementFailed, match=f"listen on 127.0.0.1:{port}: .*already in use"):
            kind.start(Site("mqtt", port, Loopback(), tmp_path, transport))


def test_a_word_that_is_no_option_ends_with_code_3(kind: Embedded) -> None:
    jars = embedded.JARS / kind.name
    done = subprocess.run(
        ["java", "-cp", f"{jars}/*", kind.main, "--lisen", "127.0.0.1:1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert "--lisen: write it like --listen 127.0.0.1:5683" in done.stderr


def test_a_transport_that_a_server_has_not_is_named(tmp_path: Path) -> None:
    artemis = next(kind for kind in EMBEDDED if kind.name == "artemis")
    try:
        artemis.find("mqtt")
    except BadInput as error:
        pytest.skip(error.sentence)
    with pytest.raises(BadInput, match="transport quic: artemis has it not; name tcp, tls, ws, wss"):
        artemis.start(Site("mqtt", 1, Loopback(), tmp_path, "quic"))


def test_jars_that_are_not_here_name_the_line_that_fetches_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(embedded, "JARS", tmp_path)
    with pytest.raises(BadInput, match="hivemq: its jars are not here; run make hivemq"):
        KINDS["hivemq"].find("mqtt")
