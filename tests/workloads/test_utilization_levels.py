"""Utilization levels, single and interleaved."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest

from wirelab.model.arrivals import Burst
from wirelab.model.errors import BadInput
from wirelab.model.trial import Workload
from wirelab.workloads import utilization_levels

US = 1000


def workload(*utilization: float, count: int) -> Workload:
    return Workload(count=count, warmup=12, application="echo", utilization=utilization)


def test_shares_are_read_as_they_are_written() -> None:
    assert utilization_levels.parse("20%+40% + 80%") == (0.2, 0.4, 0.8)
    assert utilization_levels.parse("20%") == (0.2,)
    assert utilization_levels.parse("5/s") == utilization_levels.parse("max") == ()


@pytest.mark.parametrize("rate", ["20%+20%", "20%+5/s", "20%+", "%"])
def test_an_invalid_utilization_is_refused(rate: str) -> None:
    with pytest.raises(BadInput):
        utilization_levels.parse(rate)


def test_arrivals_with_their_own_rates_are_not_interleaved() -> None:
    with pytest.raises(BadInput, match="cannot take turns"):
        utilization_levels.check(Burst(10**9, 10**9), "20%+80%")


def test_turns_last_two_hundred_service_times_and_repeat_in_another_order() -> None:
    """40 requests at a fifth, 80 at two fifths, 160 at four fifths: 200 service times each."""
    found = utilization_levels.turns((0.2, 0.4, 0.8), 1120, seed=1)
    assert Counter(found) == {0.2: 160, 0.4: 320, 0.8: 640}
    blocks = [(share, len(list(group))) for share, group in groupby(found)]
    assert Counter(blocks)[0.8, 160] + 2 * Counter(blocks)[0.8, 320] == 4
    rounds = [found[at : at + 280] for at in range(0, 1120, 280)]
    assert all(Counter(one) == {0.2: 40, 0.4: 80, 0.8: 160} for one in rounds)
    assert len({tuple(dict.fromkeys(one)) for one in rounds}) > 1


def test_few_requests_have_one_turn() -> None:
    found = utilization_levels.turns((0.2, 0.8), 101, seed=3)
    assert found in ([0.2] * 20 + [0.8] * 81, [0.8] * 81 + [0.2] * 20)


def test_gaps_follow_the_utilization_and_a_pause_is_between_turns() -> None:
    """At a service time of 100 us a fifth is a request every 500 us, two fifths one every 250 us;
    the pause is 2 ms.
    """
    asked = workload(0.2, 0.4, count=6)
    low_first = utilization_levels.turns(asked.utilization, 6, seed=1)[0] == 0.2
    low, high = [0, 500], [0, 250, 500, 750]
    expected = (
        [*low, *(500 + 2250 + at for at in high)] if low_first else [*high, *(750 + 2500 + at for at in low)]
    )
    assert utilization_levels.times_ns(asked, 1, 100 * US) == [at * US for at in expected]


def test_one_share_has_its_rate_throughout() -> None:
    assert utilization_levels.times_ns(workload(0.5, count=3), 1, 100 * US) == [0, 200 * US, 400 * US]
