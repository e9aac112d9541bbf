"""A search for the highest rate: rates that rise step by step, and which of them were carried."""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from wirelab.model.arrivals import Search
from wirelab.model.errors import BadInput
from wirelab.workloads import arrivals, cross_traffic, rate_search
from wirelab.workloads.rate_search import Step

TWO = [Step(10.0, 1.0), Step(20.0, 1.0)]


def arrived(*seconds: float) -> NDArray[np.int64]:
    return np.array([round(second * 1e9) for second in seconds], dtype=np.int64)


def in_time(steps: list[Step]) -> list[float]:
    return [at + 0.001 for at in rate_search.times(steps)]


def test_rates_rise_evenly_in_their_logarithms_from_the_first_to_the_last() -> None:
    steps = rate_search.steps(Search(10.0, 1000.0, 40_000_000_000))
    assert len(steps) == 20
    assert (steps[0].rate_hz, round(steps[-1].rate_hz, 6)) == (10.0, 1000.0)
    assert {round(b.rate_hz / a.rate_hz, 6) for a, b in pairwise(steps)} == {1.274275}
    assert all(step.seconds == 2.0 for step in steps)


def test_messages_of_a_step_are_planned_evenly_in_it() -> None:
    assert list(islice(arrivals.seconds(Search(2.0, 20.0, 20_000_000_000), None, 1), 3)) == [0.0, 0.5, 1.0]


def test_the_last_rate_that_is_carried_is_found() -> None:
    good = in_time(TWO)
    assert rate_search.sustained_hz(TWO, arrived(*good), 0) == 20.0
    late = [*good[:20], *(at + 0.5 for at in good[20:])]
    assert rate_search.sustained_hz(TWO, arrived(*late), 0) == 10.0


def test_a_message_that_does_not_arrive_ends_the_search() -> None:
    good = in_time(TWO)
    assert rate_search.sustained_hz(TWO, arrived(*good[:15], 0.0, *good[16:]), 0) == 10.0
    assert rate_search.sustained_hz(TWO, arrived(0.0, *good[1:]), 0) == 0.0


def test_messages_due_at_the_end_of_a_step_may_still_be_in_flight() -> None:
    good = in_time(TWO)
    assert rate_search.sustained_hz(TWO, arrived(*good[:29], good[29] + 0.2), 0) == 20.0


def test_a_search_that_was_cut_short_knows_only_its_whole_steps() -> None:
    assert rate_search.sustained_hz(TWO, arrived(*in_time(TWO)[:25]), 0) == 10.0


@pytest.mark.parametrize(
    "text", ["search", "search,10/s:5s", "search,10/s>5/s:5s", "search,1/s>max:5s", "search,1/s>9/s:0s"]
)
def test_an_invalid_search_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        arrivals.parse(text)


def test_cross_traffic_has_a_size_a_start_and_a_duration() -> None:
    flow = cross_traffic.parse("2MB,from=30s,for=10s")
    assert flow is not None
    assert (flow.size_bytes, flow.from_ns, flow.for_ns, flow.rate_hz) == (2_000_000, 30 * 10**9, 10**10, None)
    paced = cross_traffic.parse("1kB,from=0s,for=2s,rate=100/s")
    assert paced is not None
    assert paced.rate_hz == 100.0
    assert cross_traffic.parse("") is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("2MB", "needs from= and for="),
        ("2MB,from=1s,to=2s", "'to' is not a part of it"),
        ("0B,from=1s,for=2s", "of no size"),
        ("2MB,from=1s,from=2s,for=1s", "'from' is not a part of it"),
        ("big,from=1s,for=1s", "size 'big'"),
    ],
)
def test_invalid_cross_traffic_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        cross_traffic.parse(text)
