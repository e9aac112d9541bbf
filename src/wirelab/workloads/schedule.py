"""Schedules of docs/contracts/peer.md, and their division among several publishers.

Publisher p of k sends messages p, p + k, p + 2k ... of the whole: rates sum exactly, and phases
interleave. A batch is sent when its last message is due.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace


class _Schedule(Struct, frozen=True, tag_field="kind"):
    """The base of all schedules in JSON."""


class Interval(_Schedule, frozen=True, tag="interval"):
    """A message every `interval_ns`, until `count` messages or `duration_ns`."""

    interval_ns: int
    count: int | None = None
    duration_ns: int | None = None


class Flood(_Schedule, frozen=True, tag="flood"):
    """Each message when the previous one has been handed over."""

    count: int | None = None
    duration_ns: int | None = None


class Times(_Schedule, frozen=True, tag="times"):
    """At the times in a file: i64 each, in ns from the start."""

    times: str


class OnCommand(_Schedule, frozen=True, tag="told"):
    """Each message when a `send` command plans it."""

    count: int


Schedule = Interval | Flood | Times | OnCommand


def share(total: int, publishers: int, index: int) -> int:
    """The number of messages of `total` that publisher `index` sends."""
    return len(range(index, total, publishers))


def divided(schedule: Schedule, publishers: int, index: int) -> tuple[int, Schedule]:
    """The start offset in ns of publisher `index`, and its schedule.

    `divided_times` divides the times of a file. A schedule on command has one publisher.
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
    """The times of publisher `index`, in ns from the start of the whole."""
    return list(times[index::publishers])


def batched(phase_ns: int, schedule: Schedule, size: int) -> tuple[int, Schedule]:
    """The schedule of the batches of messages with this one; `batched_times` those of a file.

    A batch that is not full is not sent. A schedule on command has no batches.
    """
    if not isinstance(schedule, Interval | Flood):
        return phase_ns, schedule
    count = schedule.count if schedule.count is None else schedule.count // size
    if isinstance(schedule, Flood):
        return phase_ns, replace(schedule, count=count)
    filling, duration = (size - 1) * schedule.interval_ns, schedule.duration_ns
    duration = duration if duration is None else max(0, duration - filling)
    return phase_ns + filling, Interval(size * schedule.interval_ns, count, duration)


def batched_times(times: Sequence[int], size: int) -> list[int]:
    """The times of full batches of messages with these times."""
    return list(times[size - 1 :: size])
