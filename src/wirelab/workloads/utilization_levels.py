"""A rate as a share of what is answered one at a time (`20%`), or several shares that take turns within a trial (`20%+80%`)."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from wirelab.model import units
from wirelab.model.arrivals import Arrivals, ConstantRate, Parking, Poisson
from wirelab.model.errors import BadInput
from wirelab.model.trial import Workload
from wirelab.workloads.arrivals import times_ns as intended_times

IN_TURNS = "+"
# Service times that a turn lasts: more than twice what an M/M/1 queue at 80 % takes to forget that it began empty, and few enough for all
# shares to meet the same machine.
TURN = 200
# Service times between two turns in which nothing is planned. Of an M/M/1 queue at 80 % one in a hundred is longer (0.8 to the 20th).
PAUSE = 20
# Arrivals whose gaps are all as much longer as their rate is lower.
SCALED = (ConstantRate, Poisson, Parking)


def parse(rate: str) -> tuple[float, ...]:
    """The shares that a rate names; none where it is one per second. Raises BadInput."""
    if "%" not in rate:
        return ()
    found = tuple(units.fraction(one) for one in levels(rate))
    if len(set(found)) < len(found):
        raise BadInput(f"rate '{rate}'", "duplicate level", "name it once")
    return found


def levels(rate: str) -> list[str]:
    """The rates that take turns, as they are written; one that has none beside it by itself."""
    return [one.strip() for one in rate.split(IN_TURNS)] if "%" in rate else [rate]


def check(arrivals: Arrivals, rate: str) -> None:
    """Whether arrivals can follow shares that take turns. Raises BadInput."""
    if not isinstance(arrivals, SCALED):
        why = f"levels of utilization cannot take turns with workload '{arrivals}'"
        raise BadInput(f"rate '{rate}'", why, f"use {', '.join(str(kind()) for kind in SCALED)}")


def turns(shares: tuple[float, ...], count: int, seed: int) -> list[float]:
    """The share at which each of `count` requests is sent: every share has a turn, in an order drawn anew, again and again.

    All turns last equally long, so requests are divided in proportion to the shares: what queues varies most, and gets most of them.
    """
    random, full_load = Random(seed), sum(shares)
    rounds = max(1, round(count / full_load) // TURN)
    quota = {share: round(count * share / full_load) for share in shares}
    quota[max(shares)] += count - sum(quota.values())
    found: list[float] = []
    for turn in range(rounds):
        for share in random.sample(shares, len(shares)):
            found += [share] * (quota[share] * (turn + 1) // rounds - quota[share] * turn // rounds)
    return found


def times_ns(workload: Workload, seed: int, service_ns: float) -> list[int]:
    """Planned times after the warm-up in ns from 0, where an idle application takes `service_ns` for a request."""
    shares, count = workload.utilization, workload.count or 0
    if len(shares) == 1:
        return intended_times(workload.arrivals, shares[0] * 1e9 / service_ns, seed, count, None)
    at_full_load = [at / 1e9 * service_ns for at in intended_times(workload.arrivals, 1.0, seed, count, None)]
    at, found = 0.0, [0]
    for (share, after), (before, then) in zip(
        pairwise(turns(shares, count, seed)), pairwise(at_full_load), strict=True
    ):
        at += (then - before) / after + (PAUSE * service_ns if after != share else 0.0)
        found.append(round(at))
    return found
