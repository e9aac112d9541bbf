"""The offset of two clocks from exchanges: it is within its error of the true one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.model.json_stream import SAME, Offset
from wirelab.stats.clocks import Exchange, offset, to_own_clock


def asked(at: int, out: int, back: int, ahead: float, rate: float = 0.0, since: int = 0) -> Exchange:
    """An exchange at `at`, `out` and `back` ns long, with a clock `ahead` that gains `rate` after
    `since`.
    """
    there = at + out
    return Exchange(at, there + round(ahead + rate * (there - since)), there + back)


def test_an_offset_is_that_of_the_fastest_exchange() -> None:
    seen = [asked(1000, 900, 100, 5e6), asked(5000, 50, 50, 5e6), asked(9000, 10, 800, 5e6)]
    found = offset(seen, [], seen)
    assert (found.ahead, found.drift, found.error) == (5e6, 0.0, 50.0)


@given(
    ahead=st.integers(-(10**17), 10**17),
    parts_per_million=st.floats(-200, 200),
    ways=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=6, max_size=6),
    lasting=st.integers(10**8, 10**12),
)
def test_the_truth_lies_within_the_error_whatever_the_ways_took(
    ahead: int, parts_per_million: float, ways: list[tuple[int, int]], lasting: int
) -> None:
    begin, rate = 10**16, parts_per_million * 1e-6

    def at(k: int) -> int:
        return begin + lasting * k // 5

    seen = [asked(at(k), *ways[k], ahead, rate, begin) for k in range(6)]
    found = offset(seen[:1], seen[1:5], seen[5:])
    # What the other clock says when the own one is in the middle, and what is made of that. 100 ns:
    # a double's room at such offsets.
    own = at(2)
    theirs = own + round(ahead + rate * (own - begin))
    assert abs(int(to_own_clock(found, np.array([theirs]))[0]) - own) <= found.error + 100


def test_a_clock_step_shows_in_the_error() -> None:
    before, after = [asked(0, 50, 50, 0)], [asked(10_000_000, 50, 50, 0)]
    assert offset(before, [asked(5_000_000, 50, 50, 0)], after).error == 50
    assert offset(before, [asked(5_000_000, 50, 50, 70_000)], after).error == 50 + 70_000 - 50


def test_times_of_the_other_clock_convert_to_the_own_clock() -> None:
    clock = Offset(theirs=10**15, ahead=-3e14, drift=5e-5, error=100.0)
    for own in (13 * 10**14, 13 * 10**14 + 10**10):
        assert abs(int(to_own_clock(clock, np.array([clock.there(own)]))[0]) - own) <= 1


def test_no_time_stays_no_time_and_one_clock_changes_nothing() -> None:
    clock = Offset(theirs=100, ahead=40.0)
    assert to_own_clock(clock, np.array([0, 100])).tolist() == [0, 60]
    assert to_own_clock(SAME, np.array([0, 100])).tolist() == [0, 100]
    assert SAME.there(7) == 7


def test_without_an_exchange_there_is_no_offset() -> None:
    with pytest.raises(ValueError, match="empty"):
        offset([], [], [])
