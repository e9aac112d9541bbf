"""Run the planned trials of a store. Each is judged and journaled before the next begins."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wirelab.engine.base import Engine, FinishedTrial
from wirelab.engine.scheduling import batches, max_parallel, server_chains, split_wait_bound, trial_slots
from wirelab.lab.servers import slots
from wirelab.model.errors import MeasurementFailed, WirelabError
from wirelab.model.note import Note, NoteCode
from wirelab.model.result import TrialResult
from wirelab.model.trial import State, Trial
from wirelab.store.run import RunStore
from wirelab.studies.trial_result import evaluate
from wirelab.workloads.load import planned_ns

# Overhead in seconds per batch, and per trial and slow server in it: namespaces, packs, connecting,
# stopping.
SETUP_S, TRIAL_S, SERVER_S = 0.8, 0.1, 1.2
# With less free space than this, samples and packet logs of a batch may not fit.
LEAST_SPACE = 4 << 20
# Attempts per trial: invalid trials are retried, because a disturbance is often short.
MAX_ATTEMPTS = 2


class Progress(Struct, frozen=True):
    """The progress of a run: trials done of all, and the estimated seconds left."""

    done: int
    total: int
    left_s: float


def estimate_s(trials: list[Trial], side_by_side: int | None = None) -> float:
    """The estimated seconds for trials.

    Each batch lasts as long as its longest trial or chain. Wait-bound trials run in the background.
    """
    wide = side_by_side or max_parallel()
    waiting, others = split_wait_bound(trials)
    beside = sum((planned_ns(t.workload, t.seed) / 1e9 + SETUP_S) * trial_slots(t) for t in waiting) / wide
    return max(beside, sum(_batch_s(batch) for batch in batches(others, wide)))


def _batch_s(batch: Sequence[Trial]) -> float:
    rows = server_chains(batch)
    longest = max(sum(planned_ns(t.workload, t.seed) / 1e9 + SETUP_S for t in row) for row in rows)
    return longest + TRIAL_S * len(batch) + SERVER_S * sum(slots(row[0].server) > 1 for row in rows)


class RunCallbacks:
    """The journal callbacks of an engine. Each trial has its own folder."""

    def __init__(self, store: RunStore) -> None:
        self.directory = store.directory
        self.work = store.directory.resolve() / "work"
        self._store = store
        self._attempts: dict[str, int] = {}
        self._again: list[Trial] = []
        self._notes: dict[str, tuple[Note, ...]] = {}

    def begin(self, batch: Sequence[Trial]) -> dict[str, Path]:
        """Mark trials as running, and make their folders."""
        folders = {trial.id: self.work / trial.id for trial in batch}
        for trial in batch:
            shutil.rmtree(folders[trial.id], ignore_errors=True)
            folders[trial.id].mkdir(parents=True)
            self._attempts[trial.id] = self._store.begin(trial.id)
        return folders

    def end(self, batch: Sequence[Trial]) -> None:
        """Plan trials without a result again, and remove the folders."""
        for trial in batch:
            with contextlib.suppress(WirelabError):
                self._store.release(trial.id)
            shutil.rmtree(self.work / trial.id, ignore_errors=True)

    def again(self) -> list[Trial]:
        """The trials to retry that finished since the last call."""
        found, self._again = self._again, []
        return found

    def trials(self) -> list[Trial]:
        """All trials of the run, in planned order."""
        return [record.trial for record in self._store.results()]

    def homes(self) -> dict[str, str]:
        """The node of each result; "" for this machine."""
        done = (record.result for record in self._store.results())
        return {result.trial_id: result.environment.get("node", "") for result in done if result}

    def note(self, text: str) -> None:
        """Keep a warning about the run."""
        self._store.note(text)

    def settle(self, ran: FinishedTrial) -> TrialResult | None:
        """Judge and journal a trial; None if it is retried."""
        trial, folder = ran.trial, self.work / ran.trial.id
        result, joined = evaluate(trial, ran.outcome, folder)
        told = tuple(Note(NoteCode.RETRIED, what=text) for text in ran.notes)
        notes = self._notes[trial.id] = (*self._notes.get(trial.id, ()), *told)
        if result.verdict.state is State.FAILED:
            _check_space(self.work)
        if result.verdict.state is State.INVALID and self._attempts[trial.id] < MAX_ATTEMPTS:
            self._store.release(trial.id)
            self._again.append(trial)
            again = Note(NoteCode.RETRIED, what=f"retried after {result.verdict}")
            self._notes[trial.id] = (*notes, again)
            return None
        result = replace(result, notes=(*result.notes, *notes), environment=ran.environment)
        self._store.finish(result, joined)
        _keep_logs(self.directory, folder, result)
        return result


def execute(store: RunStore, engine: Engine, report: Callable[[Progress, TrialResult | None], None]) -> None:
    """Run all planned trials of a store.

    An interrupt keeps finished trials. Running ones are planned again.
    """
    journal = RunCallbacks(store)
    total = sum(store.counts().values())
    started, first_done = time.monotonic(), store.counts()["done"]
    try:
        while trials := store.planned():
            with contextlib.closing(engine.run(trials, journal)) as running:
                for ran in running:
                    result = journal.settle(ran)
                    if result is not None:
                        report(_progress(store, total, started, first_done), result)
    finally:
        shutil.rmtree(journal.work, ignore_errors=True)


def _check_space(work: Path) -> None:
    """Stop on a full disk, and plan the trial again. Raises MeasurementFailed."""
    if shutil.disk_usage(work).free < LEAST_SPACE:
        raise MeasurementFailed(
            f"run directory {work.parent}",
            "no space left on the device",
            "finished trials are kept: free some space and continue with --resume",
        )


def _keep_logs(directory: Path, folder: Path, result: TrialResult) -> None:
    """Keep the logs of a failed trial when its folder is removed."""
    if result.verdict.state is State.FAILED:
        logs = directory / "logs" / result.trial_id
        logs.mkdir(parents=True, exist_ok=True)
        for log in folder.glob("*.log"):
            shutil.copy(log, logs / log.name)


def _progress(store: RunStore, total: int, started: float, first_done: int) -> Progress:
    done = store.counts()["done"]
    pace = (time.monotonic() - started) / max(1, done - first_done)
    return Progress(done, total, pace * (total - done))
