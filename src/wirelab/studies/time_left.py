"""The time that a run takes: estimated before it, learned from its trials while it goes on."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence

from wirelab.engine.scheduling import (
    batches,
    is_wait_bound,
    max_parallel,
    server_chains,
    split_wait_bound,
    start_cpu_s,
    trial_slots,
)
from wirelab.lab.servers import slots
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.trial import Trial
from wirelab.model.units import show_duration
from wirelab.workloads.load import planned_ns

# Overhead in seconds per batch, and per trial and slow server in it: namespaces, packs, connecting,
# stopping.
SETUP_S, TRIAL_S, SERVER_S = 0.8, 0.1, 1.2
# Round trips in which a trial over a slow link connects, and ends.
CONNECTING = 5


def lasts_s(trial: Trial) -> float:
    """How long a trial lasts from its start, on an idle machine."""
    sending_ns = planned_ns(trial.workload, trial.seed) + trial.workload.idle_ns
    return sending_ns / 1e9 + SETUP_S + CONNECTING * trial.link.exchange_s


def costs_s(trials: Sequence[Trial], wide: int | None = None) -> dict[str, float]:
    """By how much each trial makes the run longer, by id.

    The trials of a batch share its time. Wait-bound trials run beside each other: over a slow link
    starting them takes the time, in a closed loop the slots.
    """
    wide = wide or max_parallel()
    cores = max(1, wide * len(os.sched_getaffinity(0)) // max_parallel())
    waiting, others = split_wait_bound(trials)
    found: dict[str, float] = {}
    for trial in waiting:
        if isinstance(trial.workload.arrivals, ClosedLoop):
            found[trial.id] = lasts_s(trial) * trial_slots(trial) / wide
        else:
            found[trial.id] = start_cpu_s(trial) / cores
    for batch in batches(others, wide):
        whole_s = _batch_s(batch)
        found |= {trial.id: whole_s / len(batch) for trial in batch}
    return found


def _batch_s(batch: Sequence[Trial]) -> float:
    rows = server_chains(batch)
    longest = max(sum(lasts_s(trial) for trial in row) for row in rows)
    return longest + TRIAL_S * len(batch) + SERVER_S * sum(slots(row[0].server) > 1 for row in rows)


class TimeLeft:
    """The time left of a run.

    Trials that have started tell how much longer than estimated the starts of the others take,
    those that finished how much longer a trial lasts.
    """

    def __init__(
        self, trials: Sequence[Trial], clock: Callable[[], float] = time.monotonic, wide: int | None = None
    ) -> None:
        self._clock = clock
        self._cost, self._lasts = costs_s(trials, wide), {trial.id: lasts_s(trial) for trial in trials}
        self._queued = {trial.id for trial in trials}
        self._queued_cost = sum(self._cost.values())
        # The longest trial of each kind that lasts beyond the start of the next.
        self._longest: dict[Hashable, Trial] = {}
        for trial in filter(is_wait_bound, sorted(trials, key=self._plan_s)):
            self._longest[_kind(trial)] = trial
        self._running: dict[str, tuple[Trial, float]] = {}
        # Times and costs of the recent starts, and their costs without the last.
        self._starts: deque[tuple[float, float]] = deque()
        self._recent, self._first_at = 0.0, clock()
        # Expected and real durations of finished trials, of all and by kind.
        self._lasted: dict[Hashable, list[float]] = {}

    def begin(self, trials: Iterable[Trial]) -> None:
        """These start."""
        now, cost = self._clock(), 0.0
        for trial in trials:
            self._running[trial.id] = (trial, now)
            if trial.id in self._queued:
                self._queued.remove(trial.id)
                cost += self._cost[trial.id]
        self._queued_cost -= cost
        if self._starts:
            self._recent += self._starts[-1][1]
        else:
            self._first_at = now
        self._starts.append((now, cost))
        half = (self._first_at + now) / 2
        while len(self._starts) > 2 and self._starts[1][0] <= half:
            self._recent -= self._starts.popleft()[1]

    def finish(self, trial: Trial, again: bool = False) -> None:
        """It finished. `again`: it is retried."""
        _, since = self._running.pop(trial.id, (trial, self._clock()))
        for kind in (None, _kind(trial)):
            both = self._lasted.setdefault(kind, [0.0, 0.0])
            both[0] += self._plan_s(trial)
            both[1] += self._clock() - since
        if again and trial.id in self._cost:
            self._queued.add(trial.id)
            self._queued_cost += self._cost[trial.id]

    def left_s(self) -> float:
        """Seconds until the last trial ends."""
        now = self._clock()
        running = (since + self._expected_s(trial) - now for trial, since in self._running.values())
        rest = max(0.0, max(running, default=0.0))
        if not self._queued:
            return rest
        started, last = self._starts[-1] if self._starts else (now, 0.0)
        took = started - self._starts[0][0] if self._starts else 0.0
        # Until starts have followed each other, trials that finished tell how much slower all is.
        slower = took / self._recent if took > 0 and self._recent > 0 else self._slower(None)
        waits = slower * (last + self._queued_cost)
        last_s = max(map(self._expected_s, self._longest.values()), default=0.0)
        return max(rest, started + waits + last_s - now)

    def _expected_s(self, trial: Trial) -> float:
        kind = _kind(trial)
        return self._plan_s(trial) * self._slower(kind if kind in self._lasted else None)

    def _plan_s(self, trial: Trial) -> float:
        return self._lasts.get(trial.id, SETUP_S)

    def _slower(self, kind: Hashable) -> float:
        expected, real = self._lasted.get(kind, [0.0, 0.0])
        return real / expected if expected else 1.0


def _kind(trial: Trial) -> Hashable:
    return trial.protocol, trial.qos, trial.transport, trial.server, trial.library, trial.link.text


def estimate_s(trials: Sequence[Trial], side_by_side: int | None = None) -> float:
    """The estimated seconds for trials, on an idle machine."""
    return TimeLeft(trials, lambda: 0.0, side_by_side).left_s()


def short_budget(budget_s: float, planned: Sequence[Trial]) -> list[str]:
    """A sentence if the planned trials alone take longer than the time budget."""
    needed_s = estimate_s(planned)
    if not budget_s or needed_s <= budget_s:
        return []
    return [
        f"the time budget of {show_duration(budget_s * 1e9)} is shorter than the planned trials, about "
        f"{show_duration(needed_s * 1e9)}: they all run, and no replicates are added; "
        "plan fewer replicates, or give more time"
    ]
