"""The time left of a run, with a mock executor and clock: within 25 % from a tenth of the run on."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.factories import a_trial
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.trial import Link, Trial, Workload
from wirelab.studies.time_left import TimeLeft, estimate_s, short_budget

WIDE = 16


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


SLOW = Link("nb-iot", exchange_s=1.6)
FEW = Workload(rate_hz=0.25, count=5)
IDEAL, USUAL = Link(), Workload()


def paced(number: int, link: Link = IDEAL, workload: Workload = USUAL) -> list[Trial]:
    return [a_trial(f"{n}", link=link, workload=workload) for n in range(number)]


class Run:
    """A run whose trials start and end at given times. `seen` are the times left, and when."""

    def __init__(self, trials: list[Trial]) -> None:
        self.clock, self.trials = Clock(), trials
        self.left = TimeLeft(trials, self.clock, WIDE)
        self.seen: list[tuple[float, float]] = []

    def tell(self) -> None:
        self.seen.append((self.clock.now, self.left.left_s()))

    def batches(self, size: int, took_s: float, grows: int = 0) -> None:
        rest = self.trials
        while rest:
            batch, rest = rest[:size], rest[size:]
            self.left.begin(batch)
            for _ in range(10):
                self.clock.now += took_s / 10
                self.tell()
            for trial in batch:
                self.left.finish(trial)
            size = min(size + grows, 64)

    def one_by_one(self, apart_s: Sequence[float], took_s: float) -> None:
        """Each starts some time after the one before, and lasts as long as the others."""
        ends: list[tuple[float, int]] = []
        at = 0.0
        for number, trial in enumerate(self.trials):
            while ends and ends[0][0] <= at:
                self._end(ends)
            self.clock.now = at
            self.left.begin([trial])
            heapq.heappush(ends, (at + took_s, number))
            self.tell()
            at += apart_s[number * len(apart_s) // len(self.trials)]
        while ends:
            self._end(ends)

    def _end(self, ends: list[tuple[float, int]]) -> None:
        self.clock.now, number = heapq.heappop(ends)
        self.left.finish(self.trials[number])
        self.tell()

    def worst(self, since: float = 0.1) -> float:
        """The largest error between these parts of the run, in parts of the true time left."""
        whole = self.clock.now
        return max(
            abs(left - (whole - at)) / (whole - at) for at, left in self.seen if since <= at / whole <= 0.9
        )


@pytest.mark.parametrize("took_s", [4.0, 9.0, 25.0])
def test_the_time_left_of_batches_is_learned_from_the_first(took_s: float) -> None:
    run = Run(paced(320))
    run.batches(WIDE, took_s)
    assert run.worst() < 0.25


def test_batches_that_grow_are_followed() -> None:
    run = Run(paced(1600))
    run.batches(WIDE, 9.0, grows=8)
    assert run.worst(since=0.4) < 0.25


@pytest.mark.parametrize(("apart_s", "took_s"), [(0.1, 42.0), (0.6, 60.0), (1.5, 35.0)])
def test_the_time_left_over_a_slow_link_is_learned_from_the_starts(apart_s: float, took_s: float) -> None:
    run = Run(paced(210, SLOW, FEW))
    run.one_by_one([apart_s], took_s)
    assert run.worst() < 0.25


def test_servers_that_are_slow_to_start_do_not_stand_for_the_others() -> None:
    # RabbitMQ takes 3 s of CPU more than the 0.15 s of the others. They start first.
    brokers = [replace(one, protocol="amqp", server="rabbitmq") for one in paced(60, SLOW, FEW)]
    others = [replace(one, id=f"other {one.id}") for one in paced(240, SLOW, FEW)]
    run = Run([*brokers, *others])
    run.one_by_one([2.5] * 60 + [0.13] * 240, 45.0)
    assert run.worst() < 0.25


def test_a_machine_that_becomes_slower_is_followed() -> None:
    run = Run(paced(400, SLOW, FEW))
    run.one_by_one([0.5, 0.6, 0.7, 0.7], 45.0)
    assert run.worst() < 0.25


def test_a_retried_trial_is_waited_for_again() -> None:
    trials, clock = paced(32), Clock()
    left = TimeLeft(trials, clock, WIDE)
    before = left.left_s()
    left.begin(trials[:16])
    clock.now += 7.4
    for trial in trials[:16]:
        left.finish(trial, again=True)
    assert left.left_s() == pytest.approx(before, rel=0.1)


def test_before_the_first_trial_the_estimate_is_that_of_the_plan() -> None:
    # Two batches: 33 messages at 5/s, 0.8 s to set up, 0.1 s a trial.
    assert estimate_s(paced(32), WIDE) == pytest.approx(2 * (6.6 + 0.8 + 1.6))
    # Starts of 0.35 s on the cores, then the last trial: 8 messages at 0.25/s, five round trips to
    # connect and end.
    cores = estimate_s(paced(100, SLOW, FEW)) - (32 + 0.8 + 8)
    assert estimate_s(paced(200, SLOW, FEW)) - (32 + 0.8 + 8) == pytest.approx(2 * cores)


def test_a_closed_loop_over_a_lossy_link_is_estimated_by_its_slots() -> None:
    lossy = [
        replace(one, link=Link("wifi,loss=25%"), workload=Workload(arrivals=ClosedLoop()), qos="1")
        for one in paced(64)
    ]
    # A slot each: four rounds of 7.4 s until the last has started, which lasts as long.
    assert estimate_s(lossy, WIDE) == pytest.approx(5 * 7.4)


def test_a_time_budget_that_the_planned_trials_exceed_is_said_beforehand() -> None:
    planned = [replace(one, workload=Workload(rate_hz=100.0, count=6000)) for one in paced(2)]
    assert short_budget(60.0, planned) == [
        "the time budget of 60.0 s is shorter than the planned trials, about 122 s: they all run, and no "
        "replicates are added; plan fewer replicates, or give more time"
    ]
    assert short_budget(200.0, planned) == short_budget(0.0, planned) == []
