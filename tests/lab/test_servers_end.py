"""A server that does not become ready, or whose start is interrupted, leaves no process behind."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from wirelab.lab.servers.server import Server, wait_until
from wirelab.model.errors import MeasurementFailed
from wirelab.model.result import ServerInfo

pytestmark = pytest.mark.first_case


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[bytes]]:
    """A program with a child that prints if it survives."""
    command = "(sleep 20; echo survived) & echo started; wait"
    with subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        yield process


def said(process: subprocess.Popen[bytes]) -> bytes:
    """All that it and its children still say until the last of them ends."""
    assert process.stdout is not None
    return process.stdout.read()


def test_an_interrupted_start_leaves_neither_the_server_nor_its_children(
    parent: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    def ready() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wait_until(ready, "server", parent, tmp_path / "log")
    assert said(parent) == b""


def test_a_server_that_ends_before_it_is_ready_says_why(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("starting\nport 1883 is taken\n")
    process = subprocess.Popen(["false"])
    with pytest.raises(MeasurementFailed, match="server: did not become ready: port 1883 is taken"):
        wait_until(lambda: False, "server", process, log)
    assert process.returncode == 1


def test_a_stopped_server_takes_its_children_with_it(parent: subprocess.Popen[bytes]) -> None:
    server = Server(ServerInfo("server", "1", {}), parent)
    server.stop()
    server.stop()
    assert said(parent) == b""
