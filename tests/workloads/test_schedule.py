"""One schedule divided among publishers: together they plan exactly the messages of the whole, at
the same times.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirelab.workloads.schedule import (
    Flood,
    Interval,
    OnCommand,
    Schedule,
    batched,
    batched_times,
    divided,
    divided_times,
    share,
)

MOST = 400


def planned(schedule: Schedule, phase: int) -> list[int]:
    """By docs/contracts/peer.md: i * interval, for i < count and planned < duration; in ns from the
    start.
    """
    assert isinstance(schedule, Interval)
    interval, count, duration = schedule.interval_ns, schedule.count, schedule.duration_ns
    return [
        phase + i * interval
        for i in range(MOST if count is None else count)
        if duration is None or i * interval < duration
    ]


@given(
    publishers=st.integers(1, 64),
    interval=st.integers(1, 10**9),
    count=st.none() | st.integers(0, MOST),
    messages=st.integers(0, MOST - 65),
    rest=st.integers(-5, 5),
    bounded=st.booleans(),
)
def test_shares_sum_exactly_and_interleave(
    publishers: int, interval: int, count: int | None, messages: int, rest: int, bounded: bool
) -> None:
    duration = max(0, messages * interval + rest) if bounded or count is None else None
    whole = Interval(interval, count, duration)
    parts = [divided(whole, publishers, p) for p in range(publishers)]
    times = [planned(schedule, phase) for phase, schedule in parts]
    everything = planned(whole, 0)
    assert sorted(t for part in times for t in part) == everything
    assert all(part == everything[p::publishers] for p, part in enumerate(times))


@given(publishers=st.integers(1, 64), total=st.integers(0, 10**7))
def test_counts_sum_exactly_and_differ_by_at_most_one(publishers: int, total: int) -> None:
    shares = [share(total, publishers, p) for p in range(publishers)]
    assert sum(shares) == total
    assert max(shares) - min(shares) <= 1


def test_a_flood_is_divided_by_count_and_lasts_as_long_for_each() -> None:
    whole = Flood(10, 7)
    assert divided(whole, 4, 1) == (0, Flood(3, 7))
    assert divided(whole, 4, 3) == (0, Flood(2, 7))


def test_times_of_any_process_are_dealt_out_in_turn() -> None:
    assert [divided_times([0, 3, 4, 9, 11], 2, p) for p in (0, 1)] == [[0, 4, 11], [3, 9]]


@given(
    size=st.integers(1, 20),
    phase=st.integers(0, 10**9),
    interval=st.integers(1, 10**9),
    count=st.none() | st.integers(0, MOST),
    duration=st.integers(0, 10**11),
)
def test_a_batch_is_due_with_its_last_message(
    size: int, phase: int, interval: int, count: int | None, duration: int
) -> None:
    duration = min(duration, (MOST - 1) * interval)
    messages = planned(Interval(interval, count, duration), phase)
    begins, whole = batched(phase, Interval(interval, count, duration), size)
    assert planned(whole, begins) == messages[size - 1 :: size] == batched_times(messages, size)


def test_a_flood_has_fewer_batches_than_messages() -> None:
    assert batched(0, Flood(11, 7), 5) == (0, Flood(2, 7))
    assert batched(0, OnCommand(3), 5) == (0, OnCommand(3))
