"""Real trials: compiled codecs, real servers, real packets through labs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.running import ARGV

PAYLOAD = "\n".join(json.dumps({"id": i, "speed": i * 1.5, "name": f"unit {i}"}) for i in range(40)) + "\n"


@pytest.fixture(scope="session")
def payload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One payload for all, so that its codec pack is compiled once."""
    path = tmp_path_factory.mktemp("payload") / "units.jsonl"
    path.write_text(PAYLOAD)
    return path


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start wirelab in the background, in a process group of its own as a terminal does."""
    running: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
        running.append(
            subprocess.Popen(
                [*ARGV, *map(str, arguments)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        return running[-1]

    yield start
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
