"""Real trials: compiled codecs, real servers, real packets through labs."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.cli_runner import Family

PAYLOAD = "\n".join(json.dumps({"id": i, "speed": i * 1.5, "name": f"unit {i}"}) for i in range(40)) + "\n"


@pytest.fixture(scope="session")
def payload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One payload for all, so that its codec pack is compiled once."""
    path = tmp_path_factory.mktemp("payload") / "units.jsonl"
    path.write_text(PAYLOAD)
    return path


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., Family]]:
    """Start wirelab in the background, in its own process group as a terminal does."""
    running: list[Family] = []

    def start(*arguments: str | Path, **environment: str) -> Family:
        running.append(Family(tmp_path, *arguments, **environment))
        return running[-1]

    yield start
    for family in running:
        if family.process.poll() is None:
            os.killpg(family.process.pid, signal.SIGKILL)
        family.process.wait()
        for pid in family.members():
            os.kill(pid, signal.SIGKILL)
