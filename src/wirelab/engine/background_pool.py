"""Trials that mostly wait, beside all others: each starts when there is room and goes when it is ready, without keeping step."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from wirelab.engine.executor import Executor, Handle, News
from wirelab.engine.scheduling import places
from wirelab.engine.trial_outcome import limit_s, outcome_of, ready_limit_s
from wirelab.lab.outcome import Outcome
from wirelab.lab.servers import slots
from wirelab.model.trial import Trial

# So many servers, by their weight, start at once: with their namespaces and peers they take the CPU that others measure with.
STARTING = 8.0
# What is not ready after this long does not compute any more: it waits for what is lost on its way to being connected.
BOOTING_S = 10.0


class _Running:
    def __init__(self, trial: Trial, handle: Handle) -> None:
        self.trial, self.handle = trial, handle
        self.going = False
        self.since = time.monotonic()
        self.until = self.since + ready_limit_s(trial)

    def booting(self) -> bool:
        """Whether its processes start, which takes the CPU."""
        return not self.going and time.monotonic() - self.since < BOOTING_S


class Aside:
    """The trials, in the order in which they start; `wide` places are there for them."""

    def __init__(
        self, trials: Sequence[Trial], folder: Callable[[Trial], Path], executor: Executor, wide: float
    ) -> None:
        self._waiting, self._folder, self._executor, self._wide = list(trials), folder, executor, wide
        self._running: list[_Running] = []

    def add(self, trials: Sequence[Trial]) -> None:
        """These wait behind the others."""
        self._waiting += trials

    def left(self) -> bool:
        """Whether a trial is not over yet."""
        return bool(self._waiting or self._running)

    def starts(self) -> bool:
        """Whether a trial is about to start, or starts."""
        return bool(self.fitting()) or self.booting()

    def booting(self) -> bool:
        """Whether a trial's processes start, which takes the CPU."""
        return any(one.booting() for one in self._running)

    def fitting(self) -> list[Trial]:
        """Those of the waiting that there is room for."""
        taken = sum(places(one.trial) for one in self._running)
        starting = sum(slots(one.trial.server) for one in self._running if one.booting())
        found: list[Trial] = []
        for trial in self._waiting:
            taken += places(trial)
            starting += slots(trial.server)
            if (taken > self._wide or starting > STARTING) and (self._running or found):
                break
            found.append(trial)
        return found

    def start(self, trials: Sequence[Trial]) -> None:
        """Start the first of those that wait."""
        for trial in trials:
            handle = self._executor.start([trial], [self._folder(trial)])
            self._running.append(_Running(trial, handle))
        self._waiting = self._waiting[len(trials) :]

    def ended(self) -> list[tuple[Trial, Outcome]]:
        """Let go what is ready, and give what is over or took too long. Does not block."""
        found = []
        for one in list(self._running):
            news, now = one.handle.news(), time.monotonic()
            if news is News.READY:
                one.handle.go(0)
                one.going, one.until = True, now + limit_s(one.trial)
            elif news is not None or now > one.until:
                one.handle.kill()
                self._running.remove(one)
                folder = self._folder(one.trial)
                found.append((one.trial, outcome_of(folder, news is not None, folder / "cell.log")))
        return found

    def close(self) -> None:
        """End what runs."""
        for one in self._running:
            one.handle.kill()
