"""Admission: how many trials run side by side, steered by the measured load while the run goes on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable

from wirelab.engine.disturbance import allowed_wait_ns, least_latency_ns, strain
from wirelab.engine.load_sensor import KernelSensor, LoadSensor
from wirelab.engine.scheduling import max_parallel
from wirelab.lab.outcome import Outcome
from wirelab.model.trial import Trial

# The load is read this often. Faster readings would follow single starts.
PERIOD_S = 0.5
# Above this part of what disturbs a trial, fewer run; below, more. Below the other part, more start
# at the same time.
STRAINED, RELAXED = 0.5, 0.1
GROWTH, STEP, SHRINKING = 1.2, 1.0, 0.7
# Slots of servers per core that start at the same time, at least and at most, and how fast they
# grow. With twice the most, the kernel delays packets of emulators by up to 20 ms.
LEAST_STARTING_PER_CORE, MOST_STARTING_PER_CORE, FASTER = 4, 8, 1.5
# With less available memory, fewer run: processes that have started still grow.
LEAST_FREE = 0.15
# Trials per core at least: where others load the machine, fewer of ours would not help. And in a
# batch at most: all of a batch get ready before any starts, so larger ones gain little.
LEAST_PER_CORE, MOST_PER_CORE = 2, 32


class Admission:
    """The slots for trials side by side: those of a batch, and those that wait in the background."""

    def __init__(self, sensor: LoadSensor | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._sensor, self._clock = sensor or KernelSensor(), clock
        self._cores = len(os.sched_getaffinity(0))
        self._least, self._most = float(LEAST_PER_CORE * self._cores), float(MOST_PER_CORE * self._cores)
        self.batch = self.background = float(max_parallel())
        self._looked, self._strain, self._batch_strain = clock(), 0.0, 0.0
        # Slots of servers that may start at the same time, since starting takes CPU time from
        # measurements.
        self.starting = float(LEAST_STARTING_PER_CORE * self._cores)

    def look(self, running: Iterable[Trial], is_full: bool) -> None:
        """Adapt the slots of the background to the load, if a reading is due.

        `is_full`: its slots are taken, so that more would be used.
        """
        if self._clock() - self._looked < PERIOD_S:
            return
        self._looked, load = self._clock(), self._sensor.read()
        allowed = min((allowed_wait_ns(least_latency_ns(trial)) for trial in running), default=float("inf"))
        waits = max(self._strain, load.wait_ns / allowed)
        self._strain = 0.0
        if waits > RELAXED:
            self.starting = max(LEAST_STARTING_PER_CORE * self._cores, SHRINKING * self.starting)
        else:
            self.starting = min(MOST_STARTING_PER_CORE * self._cores, FASTER * self.starting)
        if waits > STRAINED or load.free < LEAST_FREE:
            self.background = max(self._least, SHRINKING * self.background)
            return
        if is_full:
            self.background = GROWTH * self.background + STEP

    def observe(self, trial: Trial, outcome: Outcome, in_batch: bool) -> None:
        """Take in how much a finished trial was disturbed."""
        if in_batch:
            self._batch_strain = max(self._batch_strain, strain(trial, outcome))
        else:
            self._strain = max(self._strain, strain(trial, outcome))

    def end_batch(self, is_full: bool) -> None:
        """Adapt the slots of the next batch to what the trials of the last one showed."""
        if self._batch_strain > STRAINED:
            self.batch = max(self._least, SHRINKING * self.batch)
        elif is_full:
            self.batch = min(self._most, GROWTH * self.batch + STEP)
        self._batch_strain = 0.0
