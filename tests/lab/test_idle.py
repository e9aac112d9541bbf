"""The traffic of idle connections, from the link's counters over time."""

from __future__ import annotations

from typing import Any

from wirelab.lab.idle import watch_idle
from wirelab.model.result import Idle

SECOND = 1_000_000_000


class Link:
    """A link whose publisher sends 60 B and gets 40 B at these seconds, with a mock clock."""

    def __init__(self, *exchanges: float) -> None:
        self.now_s, self.exchanges = 0.0, exchanges

    def clock(self) -> int:
        return round(self.now_s * SECOND)

    def sleep(self, seconds: float) -> None:
        self.now_s = round(self.now_s + seconds, 6)

    def snapshot(self) -> dict[str, Any]:
        done = sum(at <= self.now_s for at in self.exchanges)
        way = {
            "up": {"l3_bytes": 60 * done, "packets": 2 * done},
            "down": {"l3_bytes": 40 * done, "packets": done},
        }
        return {"hosts": {"device": way, "consumer": {"up": {"l3_bytes": 999, "packets": done}}}}

    def watch(self, seconds: int, exchange_s: float = 0.0) -> Idle:
        nothing = lambda: None  # noqa: E731
        return watch_idle(self.snapshot, seconds * SECOND, exchange_s, nothing, self.clock, self.sleep)


def test_whole_periods_count_from_the_first_exchange_to_the_last() -> None:
    assert Link(60, 120, 180).watch(190) == Idle(120 * SECOND, 2, 200, 6)


def test_one_exchange_counts_for_the_whole_time() -> None:
    assert Link(60).watch(100) == Idle(100 * SECOND, 1, 100, 3)


def test_a_silent_connection_was_observed() -> None:
    assert Link().watch(100) == Idle(100 * SECOND, 0, 0, 0)


def test_packets_of_one_exchange_belong_together() -> None:
    # The answer comes 1.5 s after the question: one exchange. On a slow link, 5 s after.
    assert Link(60, 61.5, 120, 121.5).watch(130).exchanges == 1
    assert Link(60, 65, 120, 125).watch(130, exchange_s=2.0).exchanges == 1
