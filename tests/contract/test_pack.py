"""A codec pack inside a peer: messages are encoded as they are sent, and decoded as they arrive."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import (
    NO_SEQ,
    UNDECODABLE,
    UNKNOWN,
    Event,
    Peer,
    Server,
    now,
    read_samples,
    write_messages,
)
from pair import ROOT, Pair
from trial import meeting_place, prepare_keys

LINES = [b'{"speed":1}', b'{"speed":20}', b'{"speed":300}']
Launch = Callable[[Pair], Peer]


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny pack, compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("cc is not there: apt install build-essential")
    library = tmp_path_factory.mktemp("pack") / "libpack.so"
    source = Path(__file__).parent / "tiny_pack.c"
    include = f"-I{ROOT / 'packs' / 'abi'}"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", include, "-o", library, source], check=True)
    return library


@pytest.fixture
def payload(pair: Pair, pack: Path, tmp_path: Path) -> dict[str, str]:
    """The pack's codec with a corpus of three lines."""
    if "minimal_peer" in pair.peer[-1]:
        pytest.skip("the tiny peer loads no packs")
    (tmp_path / "corpus.jsonl").write_bytes(b"\n".join(LINES) + b"\n")
    return {"pack": str(pack), "codec": "lines/c", "corpus": str(tmp_path / "corpus.jsonl")}


def prepare(
    peer: Peer, pair: Pair, server: Server | Event | None, directory: Path, role: str, **more: Any
) -> Path:
    """Send `prepare` to a peer. Returns the path of its samples."""
    keys = prepare_keys(pair, server, next(iter(pair.qos)), directory / "messages", role, **more)
    peer.tell("prepare", **keys)
    return Path(keys["samples"])


@pytest.mark.once_per("peer")
def test_messages_are_encoded_live_and_every_field_is_read(
    pair: Pair, server: Server | None, launch: Launch, tmp_path: Path, payload: dict[str, str]
) -> None:
    peers, paths = {}, {}
    place, topic = meeting_place(pair, server), f"pack/{tmp_path.name}"
    for role in ("subscriber", "publisher"):
        peer = peers[role] = launch(pair)
        paths[role] = prepare(peer, pair, place, tmp_path, role=role, topic=topic, payload=payload)
        prepared = peer.wait("prepared")
        assert (prepared["messages"], prepared["bytes_min"], prepared["bytes_max"]) == (3, 11, 13)
    at = now() + 50_000_000
    for peer in peers.values():
        peer.tell("start", at_ns=at, schedule={"kind": "interval", "interval_ns": 2_000_000, "count": 6})
    peers["publisher"].wait("settled")
    while (progress := peers["subscriber"].wait("progress"))["received"] < 6:
        assert progress["received"] >= 0
    published, arrived = read_samples(paths["publisher"]), read_samples(paths["subscriber"])
    assert [sample.bytes for sample in published] == [11, 12, 13, 11, 12, 13]
    assert all(sample.start < sample.sent for sample in published)
    assert [(sample.seq, sample.flags) for sample in arrived] == [(i % 3, 0) for i in range(6)]
    assert all(sample.received < sample.decoded for sample in arrived)


@pytest.mark.once_per("peer")
def test_a_message_that_does_not_decode_is_marked(
    pair: Pair, server: Server | None, launch: Launch, tmp_path: Path, payload: dict[str, str]
) -> None:
    place = meeting_place(pair, server)
    if place is None:
        pytest.skip("nobody else can send")
    subscriber, publisher = launch(pair), launch(pair)
    topic = f"broken/{tmp_path.name}"
    samples = prepare(subscriber, pair, place, tmp_path, role="subscriber", topic=topic, payload=payload)
    subscriber.wait("prepared")
    messages = {"messages": str(write_messages(tmp_path / "messages", [b"not a line"]))}
    prepare(publisher, pair, place, tmp_path, role="publisher", topic=topic, payload=messages)
    publisher.wait("prepared")
    publisher.tell("start", at_ns=0, schedule={"kind": "flood", "count": 1})
    while subscriber.wait("progress")["received"] < 1:
        pass
    (sample,) = read_samples(samples)
    assert (sample.seq, sample.flags) == (NO_SEQ, UNDECODABLE | UNKNOWN)


@pytest.mark.once_per("peer")
@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"codec": "lines/rust"}, "codec lines/rust: no such codec; there is lines/c"),
        ({"corpus": "BAD"}, "BAD: line 2: not an object"),
        ({"pack": "BAD"}, "BAD"),
        ({"corpus": "EMPTY"}, "no messages"),
    ],
    ids=["codec", "corpus", "pack", "empty"],
)
def test_a_payload_that_contradicts_itself_is_named(
    pair: Pair,
    server: Server | None,
    launch: Launch,
    tmp_path: Path,
    payload: dict[str, str],
    changed: dict[str, str],
    named: str,
) -> None:
    (tmp_path / "BAD").write_bytes(b'{"speed":1}\nthis is no JSON\n')
    (tmp_path / "EMPTY").write_bytes(b"")
    changed = {key: str(tmp_path / value) if value.isupper() else value for key, value in changed.items()}
    peer = launch(pair)
    prepare(peer, pair, server, tmp_path, role="publisher", payload={**payload, **changed})
    told = peer.next()
    assert told is not None
    assert told["fatal"]
    assert named in f"{told['what']}: {told['why']}"
    assert peer.ended() == 1
