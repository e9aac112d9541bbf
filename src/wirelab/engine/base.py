"""What every engine does: given planned trials, it gives back each with its outcome, in whatever order they end."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from wirelab.engine.executor import Executor
from wirelab.engine.local import Begins, run_trials
from wirelab.lab import link
from wirelab.lab.outcome import Outcome
from wirelab.model.errors import BadInput
from wirelab.model.trial import Trial


class Ran(Struct, frozen=True):
    """A trial that ended; what it left lies in the folder its desk gave it. `notes` are the engine's own."""

    trial: Trial
    outcome: Outcome
    notes: tuple[str, ...] = ()
    environment: dict[str, str] = {}


class Desk(Protocol):
    """Where an engine says which trials run, and gets a folder for each."""

    directory: Path

    def begin(self, batch: Sequence[Trial]) -> dict[str, Path]:
        """These trials run from now on; an empty folder for each, by id."""

    def end(self, batch: Sequence[Trial]) -> None:
        """They no longer run: those without a result are planned again, their folders are gone."""

    def again(self) -> list[Trial]:
        """Those that ended since this was last asked and are to run once more."""

    def trials(self) -> list[Trial]:
        """All trials of the run, done or not, in planned order."""

    def homes(self) -> dict[str, str]:
        """On which node each trial with a result ran, by id; "" for this machine."""

    def note(self, text: str) -> None:
        """Keep a warning about the run."""


class Engine(Protocol):
    """Runs trials somewhere."""

    def check_link(self, text: str, seed: int) -> tuple[dict[str, Any], tuple[str, ...]]:
        """A link's own check where the trials will run, and notes on it. Raises MeasurementFailed, BadInput."""

    def run(self, trials: Sequence[Trial], desk: Desk) -> Generator[Ran, None, None]:
        """Run them all once. Whatever still runs when the iterator is closed is ended. Raises MeasurementFailed, BadInput."""


class Local:
    """This machine."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def check_link(self, text: str, seed: int) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The check of `wirelab-link`, here."""
        return link.check(text, seed), ()

    def run(self, trials: Sequence[Trial], desk: Desk) -> Generator[Ran, None, None]:
        """Batch after batch, in planned order, and beside them those that mostly wait."""
        if any(trial.workload.placement for trial in trials):
            raise BadInput(
                "placement", "names nodes, this is one machine", "add --engine ray (docs/how-to/cluster.md)"
            )
        folders: dict[str, Path] = {}
        begun: dict[str, Trial] = {}
        try:
            every = run_trials(trials, lambda trial: folders[trial.id], self._executor, desk.again)
            with closing(every) as running:
                for event in running:
                    if isinstance(event, Begins):
                        folders |= desk.begin(event.trials)
                        begun |= {trial.id: trial for trial in event.trials}
                        continue
                    yield Ran(event.trial, event.outcome)
                    desk.end([begun.pop(event.trial.id)])
        finally:
            desk.end(list(begun.values()))
