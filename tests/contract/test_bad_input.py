"""Bad input: each gives one clear error, which is fatal only if the peer cannot continue."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import Peer, Server, write_messages
from pair import Pair
from trial import prepare_keys

from wirelab.lab.ports import free_port

Launch = Callable[[Pair], Peer]


def error(peer: Peer, within: float = 30) -> dict[str, Any]:
    """The next event but for progress, which must be an error."""
    while (event := peer.next(within)) is not None and event["event"] == "progress":
        pass
    assert event is not None
    assert event["event"] == "error", event
    return event


NO_COMMANDS = {
    "no JSON": b"this is no JSON\n",
    "no object": b"[1,2]\n",
    "unknown": b'{"cmd":"dance"}\n',
    "no cmd": b'{"command":"describe"}\n',
    "incomplete": b'{"cmd":"prepare","role":"publisher"}\n',
    "no time": b'{"cmd":"start"}\n',
    "too early": b'{"cmd":"start","at_ns":1,"schedule":{"kind":"flood","count":1,"duration_ns":null}}\n',
    "not UTF-8": b"\xff\xfe\n",
    "too long": b'{"cmd":"describe","padding":"' + b"x" * (1 << 20) + b'"}\n',
}


@pytest.mark.once_per("peer")
def test_an_invalid_or_untimely_command_is_answered_and_ignored(pair: Pair, launch: Launch) -> None:
    peer = launch(pair)
    for name, line in NO_COMMANDS.items():
        peer.write(line)
        assert not error(peer)["fatal"], name
        peer.tell("describe", key_of_later_versions=1)
        assert peer.wait("described"), name


@pytest.fixture
def keys(pair: Pair, server: Server | None, tmp_path: Path, launch: Launch) -> dict[str, Any]:
    """A prepare that would succeed; where there is no server, a subscriber waits for the publisher."""
    messages = write_messages(tmp_path / "messages", [b"message"])
    keys = prepare_keys(pair, server, next(iter(pair.qos)), messages, "publisher")
    if pair.brokerless:
        subscriber = launch(pair)
        samples = str(tmp_path / "subscriber.samples")
        subscriber.tell("prepare", **{**keys, "role": "subscriber", "client": "waits", "samples": samples})
        subscriber.wait("prepared")
    return keys


BAD_PREPARES: dict[str, dict[str, Any]] = {
    "no such qos": {"qos": "99"},
    "no such messages": {"payload": {"messages": "/nowhere/messages"}},
    "no such pack": {"payload": {"pack": "/nowhere/lib.so", "codec": "a/b", "corpus": "/nowhere/c"}},
    "messages cut short": {"payload": {"messages": "CUT"}},
    "no messages": {"payload": {"messages": "EMPTY"}},
    "samples where nothing can be written": {"samples": "/nowhere/samples"},
    "no such option": {"options": {"no_such_option": "1"}},
    "an impossible capacity": {"capacity": 1 << 55},
}


@pytest.mark.once_per("peer")
@pytest.mark.parametrize("name", BAD_PREPARES)
def test_a_prepare_that_cannot_be_done_is_fatal_and_names_the_thing(
    pair: Pair, launch: Launch, keys: dict[str, Any], tmp_path: Path, name: str
) -> None:
    (tmp_path / "CUT").write_bytes(struct.pack("<I", 10) + b"short")
    (tmp_path / "EMPTY").write_bytes(b"")
    changed = json.loads(
        json.dumps(BAD_PREPARES[name])
        .replace('"CUT"', f'"{tmp_path}/CUT"')
        .replace('"EMPTY"', f'"{tmp_path}/EMPTY"')
    )
    peer = launch(pair)
    peer.tell("prepare", **{**keys, **changed})
    told = error(peer)
    assert told["fatal"]
    assert told["what"]
    assert told["why"]
    assert peer.ended() == 1


@pytest.mark.once_per("peer")
def test_a_message_larger_than_the_protocol_carries_is_refused_before_connecting(
    pair: Pair, launch: Launch, keys: dict[str, Any], tmp_path: Path
) -> None:
    peer = launch(pair)
    peer.tell("describe")
    limit = peer.wait("described")["max_message"]
    if limit == 0:
        pytest.skip("no limit known")
    with (tmp_path / "large").open("wb") as file:
        file.write(struct.pack("<I", limit + 1))
        file.truncate(4 + limit + 1)
    peer.tell("prepare", **{**keys, "payload": {"messages": str(tmp_path / "large")}})
    told = error(peer)
    assert told["fatal"]
    assert str(limit + 1) in f"{told['what']} {told['why']}"


NO_SCHEDULES: dict[str, dict[str, Any] | None] = {
    "none": None,
    "endless": {"kind": "interval", "interval_ns": 5, "count": None, "duration_ns": None},
    "no interval": {"kind": "interval", "interval_ns": 0, "count": 5, "duration_ns": None},
    "unknown": {"kind": "poisson", "count": 5},
    "no file": {"kind": "times", "times": "/nowhere/times"},
}


@pytest.mark.once_per("peer")
def test_an_invalid_schedule_is_answered_and_can_be_corrected(
    pair: Pair, launch: Launch, keys: dict[str, Any]
) -> None:
    peer = launch(pair)
    peer.tell("prepare", **keys)
    peer.wait("prepared")
    for name, schedule in NO_SCHEDULES.items():
        if "minimal_peer" in pair.peer[-1] and name in ("unknown", "no file"):
            continue  # It does not check these.
        peer.tell("start", at_ns=0, schedule=schedule)
        assert not error(peer)["fatal"], name
    peer.tell("start", at_ns=0, schedule={"kind": "flood", "count": 2, "duration_ns": None})
    assert peer.wait("settled")["sent"] == 2


@pytest.mark.once_per("peer")
def test_prepare_and_start_come_once(pair: Pair, launch: Launch, keys: dict[str, Any]) -> None:
    peer = launch(pair)
    peer.tell("prepare", **keys)
    peer.wait("prepared")
    peer.tell("prepare", **keys)
    assert not error(peer)["fatal"]
    flood = {"kind": "flood", "count": 2, "duration_ns": None}
    peer.tell("start", at_ns=0, schedule=flood)
    peer.wait("settled")
    peer.tell("start", at_ns=0, schedule=flood)
    assert not error(peer)["fatal"]
    peer.tell("stop")
    assert peer.wait("stopped")["sent"] == 2


@contextlib.contextmanager
def impostor(says: bytes | None) -> Iterator[int]:
    """A server on TCP and UDP that answers everything with `says`, or never answers."""
    port = free_port()
    with socket.create_server(("127.0.0.1", port)) as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", port))
        accepted: list[socket.socket] = []

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    accepted.append(tcp.accept()[0])
                    if says is not None:
                        accepted[-1].recv(1)
                        accepted[-1].sendall(says)

        def answer() -> None:
            with contextlib.suppress(OSError):
                while says is not None:
                    udp.sendto(says, udp.recvfrom(2000)[1])

        threads = [threading.Thread(target=run, daemon=True) for run in (accept, answer)]
        for thread in threads:
            thread.start()
        yield port
        for connection in accepted:
            connection.close()


def running(pair: Pair, launch: Launch) -> Peer:
    """A started peer. The start of a JVM takes seconds."""
    peer = launch(pair)
    peer.tell("describe")
    peer.wait("described")
    return peer


@pytest.mark.once_per("connection")
@pytest.mark.parametrize("role", ["publisher", "subscriber"])
@pytest.mark.parametrize(
    "says", [None, b"HTTP/1.1 400 Bad Request\r\n\r\n"], ids=["never answers", "speaks HTTP"]
)
def test_a_server_that_is_not_one_is_named_with_the_cause(
    pair: Pair, launch: Launch, keys: dict[str, Any], role: str, says: bytes | None
) -> None:
    if not pair.has_server:
        pytest.skip("no server")
    with impostor(says) as port:
        peer = running(pair, launch)
        server = {"address": "127.0.0.1", "port": port}
        began = time.monotonic()
        options = {**keys["options"], "connect_timeout_s": "0.4"}
        peer.tell("prepare", **{**keys, "role": role, "server": server, "options": options})
        told = error(peer)
        # Untold it would wait 10 s.
        assert time.monotonic() - began < 9
    assert told["fatal"]
    assert f"127.0.0.1:{port}" in told["what"]
    assert says is not None or "0.4 s" in told["why"]
    assert peer.ended() == 1


@pytest.mark.once_per("connection")
def test_a_refused_connection_is_named_at_once(pair: Pair, launch: Launch, keys: dict[str, Any]) -> None:
    if not pair.has_server:
        pytest.skip("no server")
    port = free_port()
    peer = launch(pair)
    peer.tell("prepare", **{**keys, "server": {"address": "127.0.0.1", "port": port}})
    told = error(peer)
    assert told["fatal"]
    assert f"127.0.0.1:{port}" in told["what"]
    assert "refused" in told["why"].lower()


@pytest.mark.once_per("connection")
def test_stop_is_obeyed_while_a_peer_still_connects(pair: Pair, launch: Launch, keys: dict[str, Any]) -> None:
    if not pair.has_server or "minimal_peer" in pair.peer[-1]:
        pytest.skip("connects on the thread that listens, or not at all")
    with impostor(None) as port:
        peer = launch(pair)
        options = {**keys["options"], "connect_timeout_s": "300"}
        peer.tell("prepare", **{**keys, "server": {"address": "127.0.0.1", "port": port}, "options": options})
        peer.tell("stop")
        peer.wait("stopped")
        assert peer.ended() == 0
