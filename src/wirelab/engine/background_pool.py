"""Wait-bound trials, run in the background of all others.

Each starts when slots are free, and measures when it is ready, without waiting for others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from wirelab.engine.admission import Admission
from wirelab.engine.executor import Executor, TrialHandle, Update
from wirelab.engine.scheduling import trial_slots
from wirelab.engine.trial_outcome import limit_s, outcome_of, ready_limit_s
from wirelab.lab.host_cpu import slower
from wirelab.lab.outcome import Outcome
from wirelab.lab.servers import slots
from wirelab.model.trial import Trial

# A trial that is not ready after this time no longer computes: it waits for lost packets while
# connecting.
BOOTING_S = 10.0


class _Running:
    def __init__(self, trial: Trial, handle: TrialHandle) -> None:
        self.trial, self.handle = trial, handle
        self.going = False
        self.since = time.monotonic()
        self.until = self.since + ready_limit_s(trial)

    def is_booting(self) -> bool:
        """Whether its processes are starting, which takes CPU time."""
        return not self.going and time.monotonic() - self.since < BOOTING_S * slower()


class BackgroundPool:
    """The trials, in the order in which they start, on as many slots as are admitted."""

    def __init__(
        self,
        trials: Sequence[Trial],
        folder: Callable[[Trial], Path],
        executor: Executor,
        admission: Admission,
    ) -> None:
        self._waiting, self._folder, self._executor = list(trials), folder, executor
        self._admission = admission
        self._running: list[_Running] = []

    def add(self, trials: Sequence[Trial]) -> None:
        """Queue further trials behind the others."""
        self._waiting += trials

    def unfinished(self) -> bool:
        """Whether a trial has not finished yet."""
        return bool(self._waiting or self._running)

    def is_starting(self) -> bool:
        """Whether a trial is about to start, or starts."""
        return bool(self.startable()) or self.is_booting()

    def is_booting(self) -> bool:
        """Whether the processes of a trial are starting, which takes CPU time."""
        return any(one.is_booting() for one in self._running)

    def startable(self) -> list[Trial]:
        """The queued trials for which slots are free."""
        taken = sum(trial_slots(one.trial) for one in self._running)
        starting = sum(slots(one.trial.server) for one in self._running if one.is_booting())
        found: list[Trial] = []
        for trial in self._waiting:
            taken += trial_slots(trial)
            starting += slots(trial.server)
            if (self._running or found) and (
                taken > self._admission.background or starting > self._admission.starting
            ):
                break
            found.append(trial)
        return found

    def start(self, trials: Sequence[Trial]) -> None:
        """Start these, the first of the queue."""
        for trial in trials:
            handle = self._executor.start([trial], [self._folder(trial)])
            self._running.append(_Running(trial, handle))
        self._waiting = self._waiting[len(trials) :]

    def poll(self) -> list[tuple[Trial, Outcome]]:
        """Start trials that are ready; return those that finished or timed out. Does not block."""
        if self._running:
            measuring = [one.trial for one in self._running if one.going]
            taken = sum(trial_slots(one.trial) for one in self._running)
            self._admission.look(measuring, bool(self._waiting) and taken + 1 > self._admission.background)
        found = []
        for one in list(self._running):
            update, now = one.handle.poll(), time.monotonic()
            if update is Update.READY:
                one.handle.go(0)
                one.going, one.until = True, now + limit_s(one.trial)
            elif update is not None or now > one.until:
                one.handle.kill()
                self._running.remove(one)
                folder = self._folder(one.trial)
                outcome = outcome_of(folder, update is not None, folder / "cell.log")
                self._admission.observe(one.trial, outcome, in_batch=False)
                found.append((one.trial, outcome))
        return found

    def close(self) -> None:
        """End the running trials."""
        for one in self._running:
            one.handle.kill()
