"""How trials run on this machine: sparse ones side by side, heavy ones alone, those that mostly wait beside all others."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from msgspec import Struct

from wirelab.engine.aside import Aside
from wirelab.engine.batches import batches, lines, offset_ns, split, width
from wirelab.engine.executor import Executor, Handle
from wirelab.engine.outcomes import GRACE_S, READY_TIMEOUT_S, limit_s, outcome_of
from wirelab.lab.outcome import Outcome
from wirelab.model.trial import Trial

# Batches wait this long for what runs beside them to have started; what starts later starts with a batch.
STARTING_S = 30.0
POLL_S = 0.05


class Begins(Struct, frozen=True):
    """These trials start next: their folders must be there."""

    trials: list[Trial]


class Over(Struct, frozen=True):
    """A trial ended. `more`: the next batch begins as soon as this is taken in."""

    trial: Trial
    outcome: Outcome
    more: bool = False


def run_trials(
    trials: Sequence[Trial],
    folder: Callable[[Trial], Path],
    executor: Executor,
    again: Callable[[], list[Trial]] = list,
) -> Generator[Begins | Over, None, None]:
    """Run trials, batch after batch, with those that mostly wait beside them. Nothing is left running when this is closed.

    `again` gives those that ended and are to run once more.
    """
    waiting, others = split(trials)
    with contextlib.closing(Aside(waiting, folder, executor, width())) as aside:
        while others or aside.left():
            until = time.monotonic() + STARTING_S
            while others and aside.starts() and time.monotonic() < until:
                yield from _beside(aside)
                time.sleep(POLL_S)
            todo = list(batches(others, width()))
            for place, batch in enumerate(todo, 1):
                yield from _beside(aside)
                yield Begins(batch)
                with contextlib.closing(run_batch(batch, folder, executor)) as running:
                    for number, (trial, outcome) in enumerate(running, 1):
                        yield Over(trial, outcome, more=number == len(batch) and place < len(todo))
            yield from _beside(aside)
            waiting, others = split(again())
            aside.add(waiting)
            if aside.left() and not others:
                time.sleep(POLL_S)


def _beside(aside: Aside) -> Generator[Begins | Over, None, None]:
    """What ended beside the batches, and what starts there now."""
    for trial, outcome in aside.ended():
        yield Over(trial, outcome)
    if fit := aside.fitting():
        yield Begins(fit)
        aside.start(fit)


def run_batch(
    batch: Sequence[Trial], folder: Callable[[Trial], Path], executor: Executor
) -> Generator[tuple[Trial, Outcome], None, None]:
    """Run trials side by side: all get ready, then all start; those behind others on the same server in a second round, and so on.

    Yields each with its outcome; nothing is left running.
    """
    started: list[tuple[list[Trial], Handle]] = []
    try:
        for line in lines(batch):
            started.append((line, executor.start(line, [folder(trial) for trial in line])))
        for place in range(max(len(line) for line, _ in started)):
            here = [(line, handle) for line, handle in started if place < len(line)]
            deadline = time.monotonic() + READY_TIMEOUT_S
            ready = [(line[place], handle) for line, handle in here if handle.wait_ready(deadline)]
            for index, (trial, handle) in enumerate(ready):
                handle.go(offset_ns(trial, index, len(ready)))
            going = {trial.id for trial, _ in ready}
            for line, handle in here:
                trial, last = line[place], place == len(line) - 1
                until = time.monotonic() + (limit_s(trial) if trial.id in going else GRACE_S)
                over = handle.wait_over(until) if last else handle.wait_next(until)
                if last or not over:
                    handle.kill()
                yield trial, outcome_of(folder(trial), over, folder(line[0]) / "cell.log")
    finally:
        for _, handle in started:
            handle.kill()
