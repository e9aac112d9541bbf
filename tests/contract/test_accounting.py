"""Every message is accounted for, as its qos promises."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import ACKNOWLEDGED, NO_SEQ, UNKNOWN, Sample, Server, distinct_messages
from pair import Pair
from trial import Trial

MakeTrial = Callable[..., Trial]


def run(both: Trial, expected: int, **schedule: object) -> tuple[list[Sample], list[Sample]]:
    """A whole trial; what publisher and subscriber recorded."""
    both.start(**{"duration_ns": None, **schedule})
    settled = both.settle()
    both.drain(expected)
    stopped = both.end()
    published, arrived = both.samples("publisher"), both.samples("subscriber")
    assert len(published) == settled["sent"] == stopped["publisher"]["sent"]
    assert settled["acknowledged"] == sum(bool(sample.flags & ACKNOWLEDGED) for sample in published)
    assert len(arrived) == stopped["subscriber"]["received"]
    return published, arrived


def check_promise(pair: Pair, qos: str, count: int, arrived: list[Sample], ordered: bool) -> None:
    """Loss, duplicates and order against the promise of the qos, on a network that loses nothing."""
    assert not [sample for sample in arrived if sample.flags & UNKNOWN]
    seqs = [sample.seq for sample in arrived]
    if pair.loses_nothing(qos):
        assert set(seqs) == set(range(count))
    else:
        assert set(seqs) <= set(range(count))
    if pair.qos[qos] != "at-least-once":
        assert len(seqs) == len(set(seqs))
    if ordered:
        assert seqs == sorted(seqs)


@pytest.mark.parametrize(("count", "size"), [(1, 10), (1000, 10), (20, -1)], ids=["one", "thousand", "large"])
def test_paced_messages_all_arrive_known_by_their_content(
    pair: Pair, qos: str, server: Server | None, trial: MakeTrial, count: int, size: int
) -> None:
    size = pair.largest if size == -1 else size
    both = trial(pair, server, qos, distinct_messages(count, size), count=count)
    prepared = {"messages": count, "distinct": count, "bytes_min": size, "bytes_max": size}
    for told in both.prepared.values():
        assert prepared.items() <= told.items()
        assert 0 <= told["connect_ns"] < 30_000_000_000
    # A receiver that other work stalls loses what its socket's buffer has no room for. At best
    # effort, messages are sent a tenth as fast, so that ten times as long a stall is harmless.
    small = 200_000 if pair.loses_nothing(qos) else 2_000_000
    interval = small if size < 100 else 5_000_000
    published, arrived = run(both, count, kind="interval", interval_ns=interval, count=count)
    check_promise(pair, qos, count, arrived, ordered=qos not in pair.unordered)
    assert len({sample.seq for sample in arrived}) == count
    assert {sample.bytes for sample in published} == {sample.bytes for sample in arrived} == {size}


def test_a_flood_is_accounted_for(pair: Pair, qos: str, server: Server | None, trial: MakeTrial) -> None:
    both = trial(pair, server, qos, distinct_messages(pair.flood, 1000), count=pair.flood)
    published, arrived = run(both, pair.flood, kind="flood", count=pair.flood)
    assert [sample.seq for sample in published] == list(range(pair.flood))
    check_promise(
        pair, qos, pair.flood, arrived, ordered=pair.loses_nothing(qos) and qos not in pair.unordered
    )
    assert arrived


def test_a_publisher_learns_the_outcome_of_each_message_at_an_acknowledged_qos(
    pair: Pair, qos: str, server: Server | None, trial: MakeTrial
) -> None:
    both = trial(pair, server, qos, distinct_messages(50, 100))
    published, _ = run(both, 50, kind="interval", interval_ns=1_000_000, count=50)
    both.peers["publisher"].seen[0]
    if pair.qos[qos] in ("at-least-once", "exactly-once") or qos in pair.acknowledged:
        assert all(sample.flags == ACKNOWLEDGED and sample.done >= sample.sent for sample in published)
    else:
        assert all(sample.flags == 0 and sample.done == 0 for sample in published)


@pytest.mark.once_per("connection")
def test_a_header_distinguishes_equal_messages_and_is_not_counted(
    pair: Pair, server: Server | None, trial: MakeTrial
) -> None:
    qos = next(iter(pair.qos))
    both = trial(pair, server, qos, [b"same", b"other"], identity="header")
    published, arrived = run(both, 200, kind="interval", interval_ns=200_000, count=200)
    assert [sample.seq for sample in arrived] == list(range(200))
    assert [sample.bytes for sample in arrived] == [sample.bytes for sample in published] == [4, 5] * 100


@pytest.mark.once_per("peer")
def test_a_corpus_is_sent_in_turn_and_equal_contents_are_the_lower_index(
    pair: Pair, server: Server | None, trial: MakeTrial
) -> None:
    both = trial(pair, server, next(iter(pair.qos)), [b"a", b"bb", b"a"])
    assert both.prepared["subscriber"]["distinct"] == 2
    published, arrived = run(both, 7, kind="interval", interval_ns=1_000_000, count=7)
    assert [sample.seq for sample in published] == [0, 1, 2, 3, 4, 5, 6]
    assert [sample.seq for sample in arrived] == [0, 1, 0, 0, 1, 0, 0]


@pytest.mark.once_per("peer")
def test_a_message_of_another_corpus_is_recorded_as_unknown(
    pair: Pair, server: Server | None, trial: MakeTrial, tmp_path: Path
) -> None:
    if server is None:
        pytest.skip("without a server nobody else can send")
    qos = next(iter(pair.qos))
    (tmp_path / "other").mkdir()
    topic = f"shared/{tmp_path.name}"
    both = trial(pair, server, qos, [b"known"], topic=topic)
    file = tmp_path / "foreign"
    file.write_bytes(struct.pack("<I", 7) + b"foreign")
    stranger = type(both.peers["publisher"])(pair.peer)
    try:
        keys = {**both_keys(pair, server, qos, file), "topic": topic}
        stranger.tell("prepare", **keys)
        stranger.wait("prepared")
        stranger.tell("start", at_ns=0, schedule={"kind": "flood", "count": 1, "duration_ns": None})
        stranger.wait("settled")
        both.peers["subscriber"].tell("start", at_ns=0)
        both.drain(1)
        (sample,) = both.samples("subscriber")
        assert (sample.seq, sample.flags, sample.bytes) == (NO_SEQ, UNKNOWN, 7)
    finally:
        stranger.kill()


def both_keys(pair: Pair, server: Server, qos: str, file: Path) -> dict[str, object]:
    """A third client's prepare."""
    from trial import prepare_keys

    return prepare_keys(
        pair, server, qos, file, "publisher", client="stranger", samples=str(file) + ".samples"
    )
