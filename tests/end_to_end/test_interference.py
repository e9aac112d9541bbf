"""A program that uses all cores makes trials invalid or leaves them correct, never silently wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.end_to_end.cli_runner import wirelab
from tests.noise_retry import busy
from wirelab.advice.figures import replicate
from wirelab.model.reason import Code
from wirelab.model.trial import State
from wirelab.store.run import RunStore

pytestmark = [pytest.mark.matrix, pytest.mark.lab, pytest.mark.quiet]

HOGS_PER_CORE = 2
# The link delays a message by 20 ms. The validity check accepts 5 % of that, or 1 ms of lateness.
DELAY_MS, SLACK_MS = 20.0, 2.5


@pytest.fixture
def hogs() -> Iterator[None]:
    """Programs that want every core all the time."""
    number = HOGS_PER_CORE * (os.cpu_count() or 1)
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    yield
    for process in started:
        process.kill()
        process.wait()


def test_a_trial_disturbed_by_other_programs_is_invalid_or_correct(tmp_path: Path, hogs: None) -> None:
    out = tmp_path / "hogged"
    done = wirelab(
        "compare", "--size", "10B", "--protocol", "mqtt,udp", "--qos", "0,datagram", "--link", "rtt=40ms",
        "--rate", "20/s", "--count", "15", "--replicates", "2", "--quiet", "-o", out,
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    judged = []
    with RunStore.open(out) as store:
        for record in store.results():
            assert record.result is not None
            verdict = record.result.verdict
            judged.append(verdict.state)
            if verdict.state is State.VALID:
                median_ms = float(np.median(replicate(record, store.samples).latency)) / 1e6
                assert DELAY_MS <= median_ms < DELAY_MS + SLACK_MS, record.trial.levels
            else:
                assert verdict.state is State.INVALID, str(verdict)
                assert busy(verdict) or verdict.reason.code is Code.UNDER_SENT, str(verdict)
    assert judged
