"""The engine of this machine: sparse trials run concurrently, heavy ones alone, and wait-bound ones
in the background.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from msgspec import Struct

from wirelab.engine.admission import Admission
from wirelab.engine.background_pool import BackgroundPool
from wirelab.engine.executor import Executor, TrialHandle, Update
from wirelab.engine.scheduling import batches, offset_ns, server_chains, split_wait_bound
from wirelab.engine.trial_outcome import limit_s, outcome_of, ready_limit_s
from wirelab.lab.outcome import Outcome
from wirelab.model.trial import Trial

# A batch waits this long for starting background trials. Later ones start during the batch.
STARTING_LIMIT_S = 30.0
POLL_S = 0.02


class TrialsStarted(Struct, frozen=True):
    """These trials start next. Their folders must exist."""

    trials: list[Trial]


class TrialFinished(Struct, frozen=True):
    """A trial finished. `more`: the next batch starts as soon as this event is processed."""

    trial: Trial
    outcome: Outcome
    more: bool = False


def run_trials(
    trials: Sequence[Trial],
    folder: Callable[[Trial], Path],
    executor: Executor,
    again: Callable[[], list[Trial]] = list,
    admission: Admission | None = None,
) -> Generator[TrialsStarted | TrialFinished, None, None]:
    """Run trials, batch after batch, with wait-bound ones in the background, as many as admitted.

    `again` returns the finished trials that are to be retried. Nothing is left running when this is
    closed.
    """
    waiting, others = split_wait_bound(trials)
    admitted = admission or Admission()
    with contextlib.closing(BackgroundPool(waiting, folder, executor, admitted)) as background:
        while others or background.unfinished():
            until = time.monotonic() + STARTING_LIMIT_S
            while others and background.is_starting() and time.monotonic() < until:
                yield from _run_background(background)
                time.sleep(POLL_S)
            todo, others = others, []
            while todo:
                batch = next(batches(todo, admitted.batch))
                todo = todo[len(batch) :]
                yield from _run_background(background)
                yield TrialsStarted(batch)
                left = len(batch)
                with contextlib.closing(run_batch(batch, folder, executor, background.is_booting)) as running:
                    for one in running:
                        yield from _ended(background)
                        if one is not None:
                            left -= 1
                            admitted.observe(*one, in_batch=True)
                            yield TrialFinished(*one, more=left == 0 and bool(todo))
                admitted.end_batch(is_full=bool(todo))
                # Wait-bound trials may take longest, so they do not wait for the last batch.
                others += _requeue(again(), background)
            yield from _run_background(background)
            others += _requeue(again(), background)
            if background.unfinished() and not others:
                time.sleep(POLL_S)


def _requeue(trials: Sequence[Trial], background: BackgroundPool) -> list[Trial]:
    """Queue wait-bound trials in the background; return the others."""
    waiting, others = split_wait_bound(trials)
    background.add(waiting)
    return others


def _run_background(background: BackgroundPool) -> Generator[TrialsStarted | TrialFinished, None, None]:
    """Events of the background: trials that finished or start."""
    yield from _ended(background)
    if fit := background.startable():
        yield TrialsStarted(fit)
        background.start(fit)


def _ended(background: BackgroundPool) -> Generator[TrialFinished, None, None]:
    for trial, outcome in background.poll():
        yield TrialFinished(trial, outcome)


class _Slot(Struct, eq=False):
    """A trial of a batch, in the lab of its chain. `until` is its deadline (s, time.monotonic)."""

    trial: Trial
    line: list[Trial]
    handle: TrialHandle
    until: float

    def over(self, in_time: bool, folder: Callable[[Trial], Path]) -> tuple[Trial, Outcome]:
        """The outcome, once it finished or is late.

        Its lab ends unless another trial follows there.
        """
        if not in_time or self.trial is self.line[-1]:
            self.handle.kill()
        return self.trial, outcome_of(folder(self.trial), in_time, folder(self.line[0]) / "cell.log")


def run_batch(
    batch: Sequence[Trial],
    folder: Callable[[Trial], Path],
    executor: Executor,
    disturbed: Callable[[], bool] = lambda: False,
) -> Generator[tuple[Trial, Outcome] | None, None, None]:
    """Run trials concurrently: all get ready, and all start once nothing has `disturbed` them.

    Later trials of a chain follow in a second round, and so on. Yields each trial with its outcome,
    and None from time to time while none finishes. No process is left running.
    """
    started: list[tuple[list[Trial], TrialHandle]] = []

    try:
        for line in server_chains(batch):
            started.append((line, executor.start(line, [folder(trial) for trial in line])))
        for index in range(max(len(line) for line, _ in started)):
            now = time.monotonic()
            here = [
                _Slot(line[index], line, handle, now + ready_limit_s(line[index]))
                for line, handle in started
                if index < len(line)
            ]
            ready = []
            for heard in _heard(here):
                if heard is None:
                    yield None
                elif heard[1] is Update.READY:
                    ready.append(heard[0])
                else:
                    yield heard[0].over(heard[1] is not None, folder)
            until = time.monotonic() + STARTING_LIMIT_S
            while ready and disturbed() and time.monotonic() < until:
                time.sleep(POLL_S)
                yield None
            # In the order of the batch, not of readiness.
            ready.sort(key=here.index)
            for number, place in enumerate(ready):
                place.handle.go(offset_ns(place.trial, number, len(ready)))
                place.until = time.monotonic() + limit_s(place.trial)
            for heard in _heard(ready):
                yield None if heard is None else heard[0].over(heard[1] is not None, folder)
    finally:
        for _, handle in started:
            handle.kill()


def _heard(slots: Sequence[_Slot]) -> Generator[tuple[_Slot, Update | None] | None, None, None]:
    """The next update of each trial; (slot, None) past its deadline; None while there are no
    updates.
    """
    silent = list(slots)
    while silent:
        told = [
            (place, update)
            for place in silent
            if (update := place.handle.poll()) or time.monotonic() > place.until
        ]
        for place, update in told:
            silent.remove(place)
            yield place, update
        if silent and not told:
            time.sleep(POLL_S)
            yield None
