"""One schedule divided among several publishers, so that together they send exactly what one would have sent.

Publisher p of k sends messages p, p + k, p + 2k ... of the whole: rates sum exactly, and phases interleave.
"""

from __future__ import annotations

from collections.abc import Sequence

Schedule = dict[str, str | int | None]
"""As docs/contracts/peer.md writes it; the times of kind `times` are handed over apart."""


def share(total: int, publishers: int, index: int) -> int:
    """How many of `total` messages publisher `index` sends."""
    return len(range(index, total, publishers))


def divided(schedule: Schedule, publishers: int, index: int) -> tuple[int, Schedule]:
    """By how many ns publisher `index` begins later than the whole, and its schedule. Not for `told` ones."""
    own = dict(schedule)
    count, duration = schedule.get("count"), schedule.get("duration_ns")
    if isinstance(count, int):
        own["count"] = share(count, publishers, index)
    if schedule["kind"] != "interval":
        return 0, own
    interval = schedule["interval_ns"]
    assert isinstance(interval, int)
    phase = index * interval
    own["interval_ns"] = publishers * interval
    if isinstance(duration, int):
        own["duration_ns"] = max(0, duration - phase)
    return phase, own


def divided_times(times: Sequence[int], publishers: int, index: int) -> list[int]:
    """The times, in ns from the start of the whole, that are publisher `index`'s."""
    return list(times[index::publishers])
