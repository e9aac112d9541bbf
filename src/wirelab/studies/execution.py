"""Run the planned trials of a store. Each is judged and journaled before the next begins."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wirelab.engine.base import Engine, FinishedTrial
from wirelab.lab.spec import CAPTURE
from wirelab.model.errors import MeasurementFailed, WirelabError
from wirelab.model.note import Note, NoteCode
from wirelab.model.result import TrialResult
from wirelab.model.trial import State, Trial
from wirelab.store.run import RunStore
from wirelab.studies.recording_digests import RecordingDigests
from wirelab.studies.time_left import TimeLeft
from wirelab.studies.trial_result import evaluate

# With less free space than this, samples and packet logs of a batch may not fit.
LEAST_SPACE = 4 << 20
# The captures in a run directory.
CAPTURES = "packets"
# Attempts per trial: invalid trials are retried, because a disturbance is often short.
MAX_ATTEMPTS = 2


class Progress(Struct, frozen=True):
    """The progress of a run: trials done of all, and the estimated seconds left."""

    done: int
    total: int
    left_s: float


class RunCallbacks:
    """The journal callbacks of an engine. Each trial has its own folder."""

    def __init__(self, store: RunStore, time_left: TimeLeft) -> None:
        self.directory, self._time_left = store.directory, time_left
        self.work = store.directory.resolve() / "work"
        self._store = store
        self._attempts: dict[str, int] = {}
        self._again: list[Trial] = []
        self._notes: dict[str, tuple[Note, ...]] = {}
        self._recordings = RecordingDigests(store)

    def begin(self, batch: Sequence[Trial]) -> dict[str, Path]:
        """Mark trials as running, and make their folders. Raises BadInput."""
        self._recordings.check(batch)
        folders = {trial.id: self.work / trial.id for trial in batch}
        for trial in batch:
            shutil.rmtree(folders[trial.id], ignore_errors=True)
            folders[trial.id].mkdir(parents=True)
            self._attempts[trial.id] = self._store.begin(trial.id)
        self._time_left.begin(batch)
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
            self._time_left.finish(trial, again=True)
            self._notes[trial.id] = (*notes, again)
            return None
        self._time_left.finish(trial)
        result = replace(result, notes=(*result.notes, *notes), environment=ran.environment)
        self._store.finish(result, joined)
        _keep_logs(self.directory, folder, result)
        _keep_capture(self.directory, folder, result)
        return result


def execute(store: RunStore, engine: Engine, report: Callable[[Progress, TrialResult | None], None]) -> None:
    """Run all planned trials of a store.

    An interrupt keeps finished trials. Running ones are planned again.
    """
    time_left = TimeLeft(store.planned())
    journal, total = RunCallbacks(store, time_left), sum(store.counts().values())
    report(Progress(store.counts()["done"], total, time_left.left_s()), None)
    try:
        while trials := store.planned():
            with contextlib.closing(engine.run(trials, journal)) as running:
                for ran in running:
                    result = journal.settle(ran)
                    if result is not None:
                        report(Progress(store.counts()["done"], total, time_left.left_s()), result)
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


def _keep_capture(directory: Path, folder: Path, result: TrialResult) -> None:
    """Keep the capture of a trial when its folder is removed."""
    if (capture := folder / CAPTURE).exists():
        captures = directory / CAPTURES
        captures.mkdir(exist_ok=True)
        shutil.move(capture, captures / f"{result.trial_id}.pcapng")


def _keep_logs(directory: Path, folder: Path, result: TrialResult) -> None:
    """Keep the logs of a failed trial when its folder is removed."""
    if result.verdict.state is State.FAILED:
        logs = directory / "logs" / result.trial_id
        logs.mkdir(parents=True, exist_ok=True)
        for log in folder.glob("*.log"):
            shutil.copy(log, logs / log.name)
