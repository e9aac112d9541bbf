"""Schedules as docs/contracts/peer.md writes them, and their parts for several publishers.

Publisher p of k sends messages p, p + k, p + 2k ... of the whole: rates sum exactly, and phases
interleave.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace


class _Schedule(Struct, frozen=True, tag_field="kind"):
    """What all have in common in JSON."""


class Interval(_Schedule, frozen=True, tag="interval"):
    """A message every `interval_ns`, until `count` messages or `duration_ns`."""

    interval_ns: int
    count: int | None = None
    duration_ns: int | None = None


class Flood(_Schedule, frozen=True, tag="flood"):
    """Each message when the one before it has been handed over."""

    count: int | None = None
    duration_ns: int | None = None


class Times(_Schedule, frozen=True, tag="times"):
    """At the times in a file: i64 each, in ns from the start."""

    times: str


class Told(_Schedule, frozen=True, tag="told"):
    """Each message when a `send` command says."""

    count: int


Schedule = Interval | Flood | Times | Told


def share(total: int, publishers: int, index: int) -> int:
    """How many of `total` messages publisher `index` sends."""
    return len(range(index, total, publishers))


def divided(schedule: Schedule, publishers: int, index: int) -> tuple[int, Schedule]:
    """By how many ns publisher `index` starts later than the whole, and its schedule.

    The times of a file are divided by `divided_times`; a `told` schedule has one publisher.
    """
    if not isinstance(schedule, Interval | Flood):
        return 0, schedule
    count = schedule.count if schedule.count is None else share(schedule.count, publishers, index)
    if isinstance(schedule, Flood):
        return 0, replace(schedule, count=count)
    phase, duration = index * schedule.interval_ns, schedule.duration_ns
    duration = duration if duration is None else max(0, duration - phase)
    return phase, Interval(publishers * schedule.interval_ns, count, duration)


def divided_times(times: Sequence[int], publishers: int, index: int) -> list[int]:
    """The times, in ns from the start of the whole, that are publisher `index`'s."""
    return list(times[index::publishers])
