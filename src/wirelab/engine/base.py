"""The interface of engines: they run planned trials and yield each with its outcome."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from wirelab.engine.executor import Executor
from wirelab.engine.local import TrialsStarted, run_trials
from wirelab.lab import link
from wirelab.lab.outcome import Outcome
from wirelab.model.errors import BadInput
from wirelab.model.trial import Trial


class FinishedTrial(Struct, frozen=True):
    """A trial that finished, with its files in its folder. `notes` are those of the engine."""

    trial: Trial
    outcome: Outcome
    notes: tuple[str, ...] = ()
    environment: dict[str, str] = {}


class JournalCallbacks(Protocol):
    """Callbacks by which an engine reports running trials and gets their folders."""

    directory: Path

    def begin(self, batch: Sequence[Trial]) -> dict[str, Path]:
        """Mark these trials as running. Returns an empty folder for each, by id."""

    def end(self, batch: Sequence[Trial]) -> None:
        """Mark them as ended.

        Those without a result are planned again, and their folders are removed.
        """

    def again(self) -> list[Trial]:
        """The trials to retry that finished since the last call."""

    def trials(self) -> list[Trial]:
        """All trials of the run, done or not, in planned order."""

    def homes(self) -> dict[str, str]:
        """The node of each trial with a result, by id; "" for this machine."""

    def note(self, text: str) -> None:
        """Store a warning about the run."""


class Engine(Protocol):
    """Runs trials somewhere."""

    def check_link(self, text: str, seed: int) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Check a link where the trials will run.

        Returns the check and notes. Raises MeasurementFailed, BadInput.
        """

    def run(self, trials: Sequence[Trial], journal: JournalCallbacks) -> Generator[FinishedTrial, None, None]:
        """Run all trials once.

        Closing the iterator ends running trials. Raises MeasurementFailed, BadInput.
        """


class Local:
    """This machine."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def check_link(self, text: str, seed: int) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The check of `wirelab-link` on this machine."""
        return link.check(text, seed), ()

    def run(self, trials: Sequence[Trial], journal: JournalCallbacks) -> Generator[FinishedTrial, None, None]:
        """Run batches in planned order, and wait-bound trials in the background."""
        if any(trial.workload.placement for trial in trials):
            raise BadInput(
                "placement", "names nodes, this is one machine", "add --engine ray (docs/how-to/cluster.md)"
            )
        folders: dict[str, Path] = {}
        begun: dict[str, Trial] = {}
        try:
            every = run_trials(trials, lambda trial: folders[trial.id], self._executor, journal.again)
            with closing(every) as running:
                for event in running:
                    if isinstance(event, TrialsStarted):
                        folders |= journal.begin(event.trials)
                        begun |= {trial.id: trial for trial in event.trials}
                        continue
                    yield FinishedTrial(event.trial, event.outcome)
                    journal.end([begun.pop(event.trial.id)])
        finally:
            journal.end(list(begun.values()))
