"""What every engine does: given planned trials, it gives back each with its outcome, in whatever order they end."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from wirelab.engine.local import Executor, batches, begin_batch, patient, run_batch, width
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
        """Batch after batch, in planned order."""
        if any(trial.workload.placement for trial in trials):
            raise BadInput(
                "placement", "names nodes, this is one machine", "add --engine ray (docs/cluster.md)"
            )
        beside = patient(trials, width())
        apart = {trial.id for trial in beside}
        with self._beside(beside, desk) as waiting:
            for batch in batches([trial for trial in trials if trial.id not in apart], width()):
                folders = desk.begin(batch)
                try:
                    with closing(run_batch(batch, folders, self._executor)) as running:
                        for trial, outcome in running:
                            yield Ran(trial, outcome)
                finally:
                    desk.end(batch)
            for ended in waiting:
                if ended is not None:
                    yield Ran(*ended)

    @contextmanager
    def _beside(
        self, trials: list[Trial], desk: Desk
    ) -> Generator[Iterator[tuple[Trial, Outcome] | None], None, None]:
        """Start trials that others need not wait for, and give their ends."""
        if not trials:
            yield iter(())
            return
        folders = desk.begin(trials)
        try:
            with closing(begin_batch(trials, folders, self._executor)) as running:
                next(running)
                yield running
        finally:
            desk.end(trials)
