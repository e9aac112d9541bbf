"""How trials run on this machine: sparse ones side by side, heavy ones alone, those that mostly wait beside all others."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from msgspec import Struct

from wirelab.engine.background_pool import Aside
from wirelab.engine.executor import Executor, Handle, News
from wirelab.engine.scheduling import batches, lines, offset_ns, split, width
from wirelab.engine.trial_outcome import limit_s, outcome_of, ready_limit_s
from wirelab.lab.outcome import Outcome
from wirelab.model.trial import Trial

# Batches wait this long for what runs beside them to have started; what starts later starts with a batch.
STARTING_S = 30.0
POLL_S = 0.02


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
            todo, others = list(batches(others, width())), []
            for place, batch in enumerate(todo, 1):
                yield from _beside(aside)
                yield Begins(batch)
                left = len(batch)
                with contextlib.closing(run_batch(batch, folder, executor, aside.booting)) as running:
                    for one in running:
                        yield from _ended(aside)
                        if one is not None:
                            left -= 1
                            yield Over(*one, more=left == 0 and place < len(todo))
                # One that mostly waits may take longest of all: it need not wait for the last batch.
                others += _once_more(again(), aside)
            yield from _beside(aside)
            others += _once_more(again(), aside)
            if aside.left() and not others:
                time.sleep(POLL_S)


def _once_more(trials: Sequence[Trial], aside: Aside) -> list[Trial]:
    """Have those that mostly wait run beside the batches; the others."""
    waiting, others = split(trials)
    aside.add(waiting)
    return others


def _beside(aside: Aside) -> Generator[Begins | Over, None, None]:
    """What ended beside the batches, and what starts there now."""
    yield from _ended(aside)
    if fit := aside.fitting():
        yield Begins(fit)
        aside.start(fit)


def _ended(aside: Aside) -> Generator[Over, None, None]:
    for trial, outcome in aside.ended():
        yield Over(trial, outcome)


class _Place(Struct, eq=False):
    """A trial of a batch, in the lab of its line. It is waited for until `until` (s, time.monotonic)."""

    trial: Trial
    line: list[Trial]
    handle: Handle
    until: float

    def over(self, in_time: bool, folder: Callable[[Trial], Path]) -> tuple[Trial, Outcome]:
        """What it left, now that it is over, or late. Its lab ends unless another trial follows there."""
        if not in_time or self.trial is self.line[-1]:
            self.handle.kill()
        return self.trial, outcome_of(folder(self.trial), in_time, folder(self.line[0]) / "cell.log")


def run_batch(
    batch: Sequence[Trial],
    folder: Callable[[Trial], Path],
    executor: Executor,
    disturbed: Callable[[], bool] = lambda: False,
) -> Generator[tuple[Trial, Outcome] | None, None, None]:
    """Run trials side by side: all get ready, then, once nothing beside them has them `disturbed`, all start; those behind others on the
    same server in a second round, and so on.

    Yields each with its outcome, and None now and then while there is nothing to tell; nothing is left running.
    """
    started: list[tuple[list[Trial], Handle]] = []

    try:
        for line in lines(batch):
            started.append((line, executor.start(line, [folder(trial) for trial in line])))
        for index in range(max(len(line) for line, _ in started)):
            now = time.monotonic()
            here = [
                _Place(line[index], line, handle, now + ready_limit_s(line[index]))
                for line, handle in started
                if index < len(line)
            ]
            ready = []
            for heard in _heard(here):
                if heard is None:
                    yield None
                elif heard[1] is News.READY:
                    ready.append(heard[0])
                else:
                    yield heard[0].over(heard[1] is not None, folder)
            until = time.monotonic() + STARTING_S
            while ready and disturbed() and time.monotonic() < until:
                time.sleep(POLL_S)
                yield None
            # In the order of the batch, whoever was ready first.
            ready.sort(key=here.index)
            for number, place in enumerate(ready):
                place.handle.go(offset_ns(place.trial, number, len(ready)))
                place.until = time.monotonic() + limit_s(place.trial)
            for heard in _heard(ready):
                yield None if heard is None else heard[0].over(heard[1] is not None, folder)
    finally:
        for _, handle in started:
            handle.kill()


def _heard(places: Sequence[_Place]) -> Generator[tuple[_Place, News | None] | None, None, None]:
    """What each says next, as it comes, None for what said nothing in its time; and just None now and then while all are silent."""
    silent = list(places)
    while silent:
        told = [
            (place, news)
            for place in silent
            if (news := place.handle.news()) or time.monotonic() > place.until
        ]
        for place, news in told:
            silent.remove(place)
            yield place, news
        if silent and not told:
            time.sleep(POLL_S)
            yield None
