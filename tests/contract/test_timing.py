"""Intended send times do not change, and time stamps are in order."""

from __future__ import annotations

import queue
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import Event, Server, distinct_messages, now
from pair import Pair
from trial import SECOND, Trial

MakeTrial = Callable[..., Trial]


def test_stamps_follow_one_another_on_one_clock(
    pair: Pair, qos: str, server: Server | None, trial: MakeTrial
) -> None:
    both = trial(pair, server, qos, distinct_messages(100, 100))
    at = both.start(kind="interval", interval_ns=2_000_000, count=100, duration_ns=None)
    both.settle()
    both.drain(100)
    both.end()
    published = both.samples("publisher")
    assert [sample.planned for sample in published] == [at + 2_000_000 * i for i in range(100)]
    for sample in published:
        assert sample.planned <= sample.start <= sample.sent
        assert (sample.received, sample.decoded) == (0, 0)
    for sample in both.samples("subscriber"):
        assert sample.received > published[sample.seq].planned
        assert 30 * SECOND > sample.decoded - sample.received >= 0
        assert (sample.planned, sample.start, sample.sent, sample.done) == (0, 0, 0, 0)


def counts(event: Event) -> tuple[int, ...]:
    return tuple(event[name] for name in ("sent", "acknowledged", "failed", "received"))


@pytest.mark.once_per("peer")
def test_progress_comes_ten_times_a_second_at_most_and_only_when_something_changed(
    pair: Pair, server: Server | None, trial: MakeTrial
) -> None:
    both = trial(pair, server, next(iter(pair.qos)), [b"message"])
    both.start(kind="interval", interval_ns=5_000_000, count=200, duration_ns=None)
    began = now()
    settled = both.settle()
    both.drain(200)
    for role, last in (
        ("publisher", (200, settled["acknowledged"], settled["failed"], 0)),
        ("subscriber", (0, 0, 0, 200)),
    ):
        peer = both.peers[role]
        while (seen := [counts(event) for event in peer.seen if event["event"] == "progress"])[-1:] != [last]:
            peer.wait("progress")
        assert seen == sorted(set(seen))
        assert 2 < len(seen) <= 2 + 10 * (now() - began) // SECOND
        with pytest.raises(queue.Empty):
            peer.next(0.3)


@pytest.mark.once_per("peer")
def test_a_duration_ends_a_schedule_before_its_count(
    pair: Pair, server: Server | None, trial: MakeTrial
) -> None:
    both = trial(pair, server, next(iter(pair.qos)), [b"message"])
    both.start(kind="interval", interval_ns=10_000_000, count=1000, duration_ns=95_000_000)
    assert both.settle()["sent"] == 10


@pytest.mark.once_per("peer")
def test_times_of_a_file_are_planned_after_the_start(
    pair: Pair, server: Server | None, trial: MakeTrial, tmp_path: Path
) -> None:
    offsets = [0, 1_000_000, 1_000_000, 50_000_000]
    (tmp_path / "times").write_bytes(struct.pack("<4q", *offsets))
    both = trial(pair, server, next(iter(pair.qos)), [b"message"])
    at = both.start(kind="times", times=str(tmp_path / "times"))
    both.settle()
    assert [sample.planned - at for sample in both.samples("publisher")] == offsets


@pytest.mark.once_per("peer")
def test_a_publisher_that_begins_late_sends_at_once_and_keeps_its_plan(
    pair: Pair, server: Server | None, trial: MakeTrial
) -> None:
    both = trial(pair, server, next(iter(pair.qos)), [b"message"])
    publisher = both.peers["publisher"]
    publisher.tell("start", at_ns=1000, schedule={"kind": "interval", "interval_ns": 1000, "count": 5})
    publisher.wait("settled")
    published = both.samples("publisher")
    assert [sample.planned for sample in published] == [1000, 2000, 3000, 4000, 5000]
    assert all(sample.start > SECOND for sample in published)


@pytest.mark.once_per("peer")
def test_a_schedule_of_nothing_settles_at_once(pair: Pair, server: Server | None, trial: MakeTrial) -> None:
    both = trial(pair, server, next(iter(pair.qos)), [b"message"])
    both.start(kind="flood", count=0, duration_ns=None)
    assert both.settle()["sent"] == 0


@pytest.mark.once_per("peer")
def test_records_beyond_the_capacity_are_counted_and_harm_nothing(
    pair: Pair, server: Server | None, trial: MakeTrial
) -> None:
    both = trial(pair, server, next(iter(pair.qos)), [b"message"], capacity=3)
    both.start(kind="interval", interval_ns=1_000_000, count=8, duration_ns=None)
    assert both.settle()["sent"] == 8
    written, missed = struct.unpack_from("<QQ", both.paths["publisher"].read_bytes(), 16)
    assert (written, missed) == (3, 5)
