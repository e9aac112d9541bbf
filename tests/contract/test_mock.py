"""The mock: arrivals from a seed, and every kind of misbehavior."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import DUPLICATE, UNKNOWN, Peer, Sample, distinct_messages
from pairs import PAIRS
from trial import Trial

MOCK = next(pair for pair in PAIRS if pair.name == "mock")
MakeTrial = Callable[..., Trial]
HOUR = 3600 * 10**9


def arrivals(trial: MakeTrial, **options: str) -> tuple[int, list[Sample]]:
    """An hour of messages, one a second, in virtual time."""
    both = trial(
        MOCK, None, "plain", distinct_messages(3600, 20), count=3600, options={"time": "virtual", **options}
    )
    at = both.start(kind="interval", interval_ns=10**9, count=None, duration_ns=HOUR)
    both.settle()
    both.drain(3600)
    both.end()
    return at, both.samples("subscriber")


def test_an_hour_of_virtual_time_passes_at_once(trial: MakeTrial) -> None:
    began = time.monotonic()
    at, arrived = arrivals(trial, latency_ns="35000000")
    assert time.monotonic() - began < 60
    assert [sample.received - at for sample in arrived] == [i * 10**9 + 35_000_000 for i in range(3600)]


def test_a_virtual_flood_ends_by_its_duration(trial: MakeTrial) -> None:
    both = trial(MOCK, None, "plain", [b"message"], options={"time": "virtual", "flood_gap_ns": "2000"})
    both.start(kind="flood", count=None, duration_ns=1_000_000)
    assert both.settle()["sent"] == 500
    both.drain(500)
    both.end()
    assert len(both.samples("subscriber")) == 500


def test_loss_and_duplicates_come_from_the_seed(trial: MakeTrial) -> None:
    _, arrived = arrivals(trial, loss="0.25", duplicate="0.1", seed="3")
    first = [sample for sample in arrived if not sample.flags & DUPLICATE]
    assert 2500 < len(first) < 2900
    assert 200 < len(arrived) - len(first) < 350
    _, again = arrivals(trial, loss="0.25", duplicate="0.1", seed="3")
    assert [sample.seq for sample in again] == [sample.seq for sample in arrived]
    _, other = arrivals(trial, loss="0.25", duplicate="0.1", seed="4")
    assert [sample.seq for sample in other] != [sample.seq for sample in arrived]


def test_reordered_messages_arrive_after_later_ones(trial: MakeTrial) -> None:
    _, arrived = arrivals(trial, reorder="0.1", latency_ns="500000000")
    seqs = [sample.seq for sample in arrived]
    assert seqs != sorted(seqs)
    assert set(seqs) == set(range(3600))


@pytest.fixture
def liar(trial: MakeTrial) -> Callable[[str], Peer]:
    """The publisher of a trial in which it misbehaves."""

    def tell(lie: str) -> Peer:
        both = trial(MOCK, None, "acknowledged", [b"message"], options={"lie": lie})
        publisher = both.peers["publisher"]
        publisher.tell("start", at_ns=0, schedule={"kind": "flood", "count": 5, "duration_ns": None})
        publisher.wait("started")
        return publisher

    return tell


def test_it_can_write_invalid_json(liar: Callable[[str], Peer]) -> None:
    with pytest.raises(json.JSONDecodeError):
        liar("bad-json").wait("settled")


def test_it_can_invent_an_event(liar: Callable[[str], Peer]) -> None:
    assert liar("unknown-event").next() == {"event": "triumph"}


def test_it_can_die_silently(liar: Callable[[str], Peer]) -> None:
    peer = liar("crash")
    assert peer.next() is None
    assert peer.ended() == -signal.SIGABRT


def test_it_can_end_before_stop(liar: Callable[[str], Peer]) -> None:
    peer = liar("quit")
    assert peer.next() is None
    assert peer.ended() == 0


def test_it_can_hang_and_ignore_stop(liar: Callable[[str], Peer]) -> None:
    peer = liar("silent")
    state = Path(f"/proc/{peer.process.pid}/stat")
    deadline = time.monotonic() + 30
    while state.read_text().rsplit(") ", 1)[1][0] != "T" and time.monotonic() < deadline:
        time.sleep(0.005)
    peer.tell("stop")
    with contextlib.suppress(queue.Empty):
        while True:
            event = peer.next(0.5)
            assert event is not None
            assert event["event"] == "progress"
    assert peer.process.poll() is None


def test_it_can_receive_a_message_that_was_not_sent(trial: MakeTrial) -> None:
    _, arrived = arrivals(trial, lie="wrong-content")
    assert sum(bool(sample.flags & UNKNOWN) for sample in arrived) == 360


def test_an_option_out_of_its_range_is_refused(trial: MakeTrial) -> None:
    with pytest.raises(AssertionError, match="not between 0 and 1"):
        arrivals(trial, loss="2")
