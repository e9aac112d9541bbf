"""The end of an exchange: counters of the link, and the quiet period.

No clock is waited for.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from wirelab.lab import drain
from wirelab.lab.drain import DrainMonitor, LinkTotals, link_totals

MS = 1_000_000


def way(packets: int, lost: int = 0, delivered: int = 0) -> dict[str, Any]:
    return {"packets": packets, "dropped": {"loss": lost, "queue": 0, "mtu": 0}, "delivered": delivered}


def link(up: int, lost: int, down: int) -> dict[str, Any]:
    """A device that sent `up` frames to a server, of which `lost` were lost on the way and `down`
    have arrived.
    """
    return {
        "hosts": {
            "device": {"up": way(up, lost), "down": way(0)},
            "server": {"up": way(0), "down": way(up - lost, 0, down)},
        }
    }


def test_frames_neither_delivered_nor_lost_are_in_flight() -> None:
    assert link_totals(link(up=5, lost=1, down=2)) == LinkTotals(entered=9, dropped=1, flying=2)
    assert link_totals(link(up=5, lost=1, down=4)).flying == 0
    assert link_totals({}) == LinkTotals()


def test_frames_lost_on_a_shared_medium_are_not_in_flight() -> None:
    assert link_totals({**link(up=5, lost=0, down=3), "segment": way(5, lost=2)}).flying == 0


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> DrainMonitor:
    """A monitor with its clock and link in `now` and `link`."""
    counters = {"sent": 0, "acknowledged": 0, "failed": 0, "received": 0}
    peer: Any = SimpleNamespace(
        drain=lambda: None, counters=counters, settled=False, process=SimpleNamespace(pid=0)
    )
    at: Any = SimpleNamespace(now=1000 * MS, link=link(1, 0, 1))
    monkeypatch.setattr(drain.time, "monotonic_ns", lambda: at.now)
    hosts: Any = SimpleNamespace(snapshot=lambda: at.link)
    made = DrainMonitor([peer], [peer], None, hosts, linger_s=25.0)
    made.at = at  # type: ignore[attr-defined]
    return made


def look(watch: Any, at_ms: int, seen: dict[str, Any]) -> int:
    watch.at.now, watch.at.link = at_ms * MS, seen
    return int(watch.look(link=True))


@pytest.fixture
def skips(watch: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[list[int], list[bool]], list[int]]:
    """The skips of the link in ms for messages 10 s apart whose exchanges take these times in ms."""

    def asked(taken: list[int], answers: list[bool]) -> list[int]:
        skipped: list[int] = []

        def exchange(_watch: DrainMonitor, number: int, _acknowledged: bool, _at_ns: int) -> None:
            watch.at.now += taken[number - 1] * MS

        def skip(ns: int) -> bool:
            skipped.append(ns // MS)
            return answers.pop(0)

        watch._hosts.skip = skip
        watch.publisher.peers[0].send = lambda _: None
        monkeypatch.setattr(drain.time, "sleep", lambda _s: None)
        monkeypatch.setattr(drain, "_exchange", exchange)
        drain.send_stop_and_wait(watch, len(taken), 10_000 * MS, True, 1)
        return skipped

    return asked


def test_stop_and_wait_messages_meet_the_link_at_the_requested_spacing(skips: Any) -> None:
    """Exchanges of 1, 12 and 1 s, 10 s apart: the link skips 9 s, then nothing, then the rest to
    30.
    """
    assert skips([1_000, 12_000, 1_000], [True, True]) == [9_000, 7_000]


def test_time_that_the_link_does_not_skip_is_skipped_with_the_next_message(skips: Any) -> None:
    assert skips([1_000, 1_000], [False, True]) == [9_000, 18_000]


def test_a_delivered_message_is_over_once_the_link_was_silent(watch: DrainMonitor) -> None:
    now = look(watch, 2000, link(2, 0, 2))
    assert not watch.quiet_enough(now, arrived=True)
    now = look(watch, 2160, link(2, 0, 2))
    assert watch.quiet_enough(now, arrived=True)
    assert not watch.quiet_enough(now, arrived=False)


def test_a_frame_in_flight_is_not_silence(watch: DrainMonitor) -> None:
    look(watch, 2000, link(2, 0, 1))
    now = look(watch, 9000, link(2, 0, 1))
    assert not watch.quiet_enough(now, arrived=True)


def test_the_drain_waits_for_a_lost_last_frame(watch: DrainMonitor) -> None:
    look(watch, 2000, link(2, 0, 2))
    look(watch, 2500, link(3, 1, 2))
    now = look(watch, 4000, link(3, 1, 2))
    assert not watch.quiet_enough(now, arrived=True)
    now = look(watch, 8800, link(3, 1, 2))
    assert watch.quiet_enough(now, arrived=True)


def settled(watch: Any, exchange_s: float, linger_s: float = 0.5) -> DrainMonitor:
    """A monitor of a publisher that sent one message by UDP over a link with these exchanges."""
    peer = watch.publisher.peers[0]
    peer.settled, peer.counters["sent"] = True, 1
    return DrainMonitor([peer], [peer], None, watch._hosts, linger_s, exchange_s)


@pytest.mark.parametrize(("exchange_s", "quiet_ms"), [(0.07, 700), (1.6, 0)])
def test_a_last_datagram_on_a_slow_link_is_waited_for(watch: Any, exchange_s: float, quiet_ms: int) -> None:
    watch.at.link = link(1, 0, 0)  # on its way
    monitor = settled(watch, exchange_s)
    monitor.state()
    watch.at.now += 700 * MS
    assert monitor.state().quiet_ns == quiet_ms * MS


def test_a_frame_may_be_on_its_way_for_forty_exchanges(watch: Any) -> None:
    watch.at.link = link(1, 0, 0)
    monitor = settled(watch, exchange_s=20.0)
    assert monitor.exchange_limit_ns == 800_000 * MS
    monitor.state()
    watch.at.now += 799_000 * MS
    assert monitor.state().quiet_ns == 0
    watch.at.now += 2_000 * MS
    assert monitor.state().quiet_ns == 2_000 * MS


def test_the_link_is_polled_no_more_often_than_it_settles(watch: DrainMonitor) -> None:
    look(watch, 2000, link(2, 0, 2))
    look(watch, 2100, link(3, 0, 3))
    assert watch.quiet_since == 2000 * MS
