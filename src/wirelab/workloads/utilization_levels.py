"""Utilization levels: rates as shares of the capacity for one request at a time (`20%`).

Several interleaved levels (`20%+80%`) take turns within a trial.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from wirelab.model import units
from wirelab.model.arrivals import Arrivals, ConstantRate, Poisson, ServiceRequests
from wirelab.model.errors import BadInput
from wirelab.model.trial import Workload
from wirelab.workloads.arrivals import times_ns as intended_times

IN_TURNS = "+"
# The length of a turn in service times. It is over twice the time that an M/M/1 queue at 80 % takes
# to become independent of its empty start, and short enough for all levels to meet the same
# machine conditions.
TURN = 200
# The pause between two turns in service times. An M/M/1 queue at 80 % is longer than this in 1 % of
# cases (0.8 to the 20th).
PAUSE = 20
# Arrival processes whose gaps scale inversely with the rate.
SCALED = (ConstantRate, Poisson, ServiceRequests)


def parse(rate: str) -> tuple[float, ...]:
    """The levels in a rate; empty if it is a number per time. Raises BadInput."""
    if "%" not in rate:
        return ()
    found = tuple(units.fraction(one) for one in levels(rate))
    if len(set(found)) < len(found):
        raise BadInput(f"rate '{rate}'", "duplicate level", "name it once")
    return found


def levels(rate: str) -> list[str]:
    """The texts of the levels that take turns; a single level is a list of one."""
    return [one.strip() for one in rate.split(IN_TURNS)] if "%" in rate else [rate]


def check(arrivals: Arrivals, rate: str) -> None:
    """Check that the arrival process supports interleaved levels. Raises BadInput."""
    if not isinstance(arrivals, SCALED):
        why = f"levels of utilization cannot take turns with workload '{arrivals}'"
        raise BadInput(f"rate '{rate}'", why, "use constant-rate, poisson or the requests of a service")


def turns(shares: tuple[float, ...], count: int, seed: int) -> list[float]:
    """The utilization of each of `count` requests.

    Each round has one turn per level, in random order. All turns have one length, so that requests
    are divided in proportion to the levels: high levels, whose queues vary most, get most requests.
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
    """Intended send times after the warm-up in ns from 0, for a service time of `service_ns`."""
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
