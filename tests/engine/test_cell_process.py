"""Cells as forks of one process, with real labs."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.factories import a_payload, a_trial
from wirelab.engine.executor import CellHandle, LabExecutor, Update
from wirelab.lab.outcome import Outcome
from wirelab.model.trial import Link, State, Trial, Workload
from wirelab.workloads import messages

LIMIT_S = 60


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    corpus = tmp_path / "messages"
    messages.write(corpus, messages.messages(10, 20, seed=1))
    return a_trial(
        payload=a_payload(corpus=str(corpus), codec="messages/10B"),
        link=Link("rtt=10ms"),
        workload=Workload(rate_hz=20.0, count=2, warmup=0),
    )


@pytest.fixture
def executor() -> Iterator[LabExecutor]:
    with contextlib.closing(LabExecutor()) as made:
        yield made


def started(executor: LabExecutor, trial: Trial, folder: Path) -> CellHandle:
    folder.mkdir()
    return executor.start([trial], [folder])


def next_update(handle: CellHandle) -> Update | None:
    """The next event of a cell."""
    select.select([handle.process.stdout], [], [], LIMIT_S)
    return handle.poll()


def test_a_fork_measures_a_trial_in_its_lab(executor: LabExecutor, trial: Trial, tmp_path: Path) -> None:
    handle = started(executor, trial, tmp_path / "a")
    assert next_update(handle) is Update.READY
    handle.go(0)
    assert next_update(handle) is Update.ENDED
    outcome = msgspec.json.decode((tmp_path / "a" / "outcome.json").read_bytes(), type=Outcome)
    assert outcome.verdict is None or outcome.verdict.state is State.VALID
    assert outcome.counters["publisher"]["sent"] == 2
    assert (tmp_path / "a" / "link.json").exists()
    handle.kill()


def test_a_killed_fork_server_fails_only_the_trials_that_it_runs(
    executor: LabExecutor, trial: Trial, tmp_path: Path
) -> None:
    before = started(executor, trial, tmp_path / "before")
    assert next_update(before) is Update.READY
    assert executor.server is not None
    os.kill(executor.server.pid, signal.SIGKILL)
    assert next_update(before) is Update.ENDED
    before.kill()
    after = started(executor, trial, tmp_path / "after")
    assert next_update(after) is Update.READY
    after.kill()


def test_a_lab_that_cannot_be_made_ends_with_its_reason_in_the_log(
    executor: LabExecutor, trial: Trial, tmp_path: Path
) -> None:
    broken = msgspec.structs.replace(trial, link=Link("rtt=soon"))
    handle = started(executor, broken, tmp_path / "a")
    assert next_update(handle) is Update.ENDED
    handle.kill()
    assert "rtt 'soon' is not a number" in (tmp_path / "a" / "cell.log").read_text()
