"""Run the trials of a store that are still planned, judge each, and journal it before the next begins."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from wirelab.engine.local import Executor, batches, run_batch, width
from wirelab.lab.cell import planned_ns
from wirelab.model.errors import MeasurementFailed, WirelabError
from wirelab.model.result import TrialResult
from wirelab.model.trial import State, Trial
from wirelab.store.run import RunStore
from wirelab.studies.judge import judge

# Seconds a batch takes beyond its planned sending: namespaces, servers, packs, connecting, stopping.
SETUP_S = 1.6
# With less than this left, samples and packet logs of a batch may not fit.
LEAST_SPACE = 4 << 20
# A trial that came out invalid is run once more: another program's burst is no reason for a hole in the table.
MAX_ATTEMPTS = 2


class Progress(Struct, frozen=True):
    """How far a run is: trials done of all, and seconds left as far as can be told."""

    done: int
    total: int
    left_s: float


def estimate_s(trials: list[Trial], side_by_side: int | None = None) -> float:
    """Seconds that trials take: each batch lasts as long as its longest trial."""
    groups = batches(trials, side_by_side or width())
    return sum(max(planned_ns(t) / 1e9 for t in batch) + SETUP_S for batch in groups)


def execute(
    store: RunStore, executor: Executor, report: Callable[[Progress, TrialResult | None], None]
) -> None:
    """Run everything that is planned in a store. An interrupt leaves what is done; what was running is planned again."""
    work = store.directory.resolve() / "work"
    total = sum(store.counts().values())
    started, first_done = time.monotonic(), store.counts()["done"]
    try:
        while trials := store.planned():
            for batch in batches(trials, width()):
                _run(store, batch, executor, work, report, total, started, first_done)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _run(
    store: RunStore,
    batch: list[Trial],
    executor: Executor,
    work: Path,
    report: Callable[[Progress, TrialResult | None], None],
    total: int,
    started: float,
    first_done: int,
) -> None:
    folders = {trial.id: work / trial.id for trial in batch}
    attempts = {}
    for trial in batch:
        shutil.rmtree(folders[trial.id], ignore_errors=True)
        folders[trial.id].mkdir(parents=True)
        attempts[trial.id] = store.begin(trial.id)
    try:
        for trial, outcome in run_batch(batch, folders, executor):
            result, joined = judge(trial, outcome, folders[trial.id])
            if result.verdict.state is State.FAILED:
                _check_space(work)
            if result.verdict.state is State.INVALID and attempts[trial.id] < MAX_ATTEMPTS:
                store.release(trial.id)
                continue
            store.finish(result, joined)
            _keep_logs(store.directory, folders[trial.id], result)
            report(_progress(store, total, started, first_done), result)
    finally:
        for trial in batch:
            with contextlib.suppress(WirelabError):
                store.release(trial.id)
            shutil.rmtree(folders[trial.id], ignore_errors=True)


def _check_space(work: Path) -> None:
    """A trial that failed on a full disk says nothing of what was tested: stop, and plan it again. Raises MeasurementFailed."""
    if shutil.disk_usage(work).free < LEAST_SPACE:
        raise MeasurementFailed(
            f"run directory {work.parent}",
            "no space left on the device",
            "what is done is kept: free some space and go on with --resume",
        )


def _keep_logs(directory: Path, folder: Path, result: TrialResult) -> None:
    """The logs of a trial that failed outlive its folder."""
    if result.verdict.state is State.FAILED:
        logs = directory / "logs" / result.trial_id
        logs.mkdir(parents=True, exist_ok=True)
        for log in folder.glob("*.log"):
            shutil.copy(log, logs / log.name)


def _progress(store: RunStore, total: int, started: float, first_done: int) -> Progress:
    done = store.counts()["done"]
    pace = (time.monotonic() - started) / max(1, done - first_done)
    return Progress(done, total, pace * (total - done))
