"""A publisher without a server starts when all subscribers have discovered it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness import Event, Peer, distinct_messages, now, read_samples, write_messages
from pair import Pair
from trial import meeting_place, prepare_keys

# EPGM knows no subscribers.
WITHOUT_SERVER = pytest.mark.pairs("zmq", "dds", "dds through Fast DDS")
COUNT = 3000


def prepare(
    peer: Peer, pair: Pair, place: Event | None, folder: Path, name: str, patience_s: int = 10, **more: object
) -> Path:
    """Send `prepare` to a peer. Returns the path of its samples."""
    file = folder / "messages"
    role = name.partition("-")[0]
    samples = folder / f"{name}.samples"
    own = {"topic": f"wirelab/{folder.name}", "client": name, "samples": str(samples), "capacity": COUNT}
    options = {**pair.options, "connect_timeout_s": f"{patience_s}"}
    lossless = next(qos for qos in pair.qos if pair.loses_nothing(qos))
    keys = prepare_keys(pair, place, lossless, file, role, **own, options=options, **more)
    peer.tell("prepare", **keys)
    return samples


@WITHOUT_SERVER
def test_each_of_several_subscribers_gets_a_flood_from_its_first_message_on(
    pair: Pair, launch: Callable[[Pair], Peer], tmp_path: Path
) -> None:
    write_messages(tmp_path / "messages", distinct_messages(COUNT, 100))
    place = meeting_place(pair, None)
    first, publisher, second = (launch(pair) for _ in range(3))
    files = [prepare(first, pair, place, tmp_path, "subscriber-1")]
    first.wait("prepared")
    prepare(publisher, pair, place, tmp_path, "publisher", subscribers=2)
    files.append(prepare(second, pair, place, tmp_path, "subscriber-2"))
    second.wait("prepared")
    publisher.wait("prepared")
    flood = {"kind": "flood", "count": COUNT, "duration_ns": None}
    for peer in (first, second, publisher):
        peer.tell("start", at_ns=now(), schedule=flood)
        peer.wait("started")
    publisher.wait("settled")
    for peer in (first, second):
        while peer.wait("progress")["received"] < COUNT:
            pass
    for file in files:
        assert [sample.seq for sample in read_samples(file)] == list(range(COUNT))


@WITHOUT_SERVER
def test_a_publisher_reports_a_missing_subscriber(
    pair: Pair, launch: Callable[[Pair], Peer], tmp_path: Path
) -> None:
    write_messages(tmp_path / "messages", distinct_messages(5, 100))
    place = meeting_place(pair, None)
    subscriber, publisher = launch(pair), launch(pair)
    prepare(subscriber, pair, place, tmp_path, "subscriber-1")
    subscriber.wait("prepared")
    prepare(publisher, pair, place, tmp_path, "publisher", patience_s=2, subscribers=2)
    told = publisher.next()
    assert told is not None
    assert (told["event"], told["fatal"]) == ("error", True)
    assert told["what"].startswith("wait for a subscriber at"), told
