"""MQTT sessions that continue over another connection: resent packets, their order, and servers."""

from __future__ import annotations

import signal
import struct
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scripted_broker
from harness import Peer, distinct_messages, read_samples, write_messages
from pair import Pair
from pair import peer as command
from pairs import MQTT
from scripted_broker import PUBACK, PUBCOMP, PUBLISH, PUBREC, PUBREL, SUBACK, SUBSCRIBE, Line, Packet
from server_faults import STORING, Broker
from trial import prepare_keys

from wirelab.lab.servers import check
from wirelab.model.errors import BadInput

pytestmark = pytest.mark.first_case

Launch = Callable[[Pair], Peer]
COMES_BACK = {"reconnect_s": "60", "clean": "false"}
PEERS = [
    Pair("mqtt", command("mqtt"), None, MQTT, options=COMES_BACK),
    Pair("mqtt5", command("mqtt5"), None, MQTT, options={**COMES_BACK, "session_expiry_s": "3600"}),
]
TOPIC = "wirelab/session"
either_version = pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)


def prepare(
    peer: Peer, pair: Pair, port: int, level: str, role: str, count: int, folder: Path, **options: str
) -> Path:
    """Let a peer connect to the test's broker. Returns its sample file."""
    messages = write_messages(folder / "messages", distinct_messages(count, 10))
    keys: dict[str, Any] = prepare_keys(pair, {"address": "127.0.0.1", "port": port}, level, messages, role)
    keys |= {"topic": TOPIC, "options": {**pair.options, **options}}
    peer.tell("prepare", **keys)
    return Path(keys["samples"])


def begin(peer: Peer, count: int) -> None:
    """Once it is prepared, let it send `count` messages as a flood."""
    peer.wait("prepared")
    peer.tell("start", at_ns=0, schedule={"kind": "flood", "count": count, "duration_ns": None})
    peer.wait("started")


def seq(packet: Packet) -> int:
    """Which message it is."""
    assert packet.kind == PUBLISH, packet
    return int(struct.unpack_from("<Q", packet.payload)[0])


def told(packets: list[Packet]) -> list[tuple[int, int]]:
    """Kinds and packet identifiers."""
    return [(packet.kind, packet.id) for packet in packets]


def acknowledge(line: Line, level: str, ids: list[int]) -> None:
    """As a broker, take publications."""
    if level == "1":
        line.answer(PUBACK, *ids)
        return
    line.answer(PUBREC, *ids)
    assert told(line.several(len(ids))) == [(PUBREL, one) for one in ids]
    line.answer(PUBCOMP, *ids)


def serve(line: Line, before: list[Packet], level: str, due: int) -> list[int]:
    """As a broker, complete the `due` exchanges, including those of packets read before.

    Returns the published messages.
    """
    waiting, published = deque(before), []
    while due:
        packet = waiting.popleft() if waiting else line.read()
        if packet.kind == PUBREL:
            line.answer(PUBCOMP, packet.id)
            due -= 1
            continue
        published.append(seq(packet))
        line.answer(PUBACK if level == "1" else PUBREC, packet.id)
        due -= level == "1"
    return published


@pytest.mark.parametrize("level", ["1", "2"])
@either_version
def test_resent_messages_keep_their_order_and_precede_new_ones(
    peer: Pair, level: str, launch: Launch, tmp_path: Path
) -> None:
    with scripted_broker.broker() as server:
        publisher = launch(peer)
        prepare(publisher, peer, server.port, level, "publisher", 16, tmp_path, inflight="8")
        line = server.accept(resumed=False)
        begin(publisher, 16)
        assert told(line.several(8)) == [(PUBLISH, one) for one in range(1, 9)]
        acknowledge(line, level, [1, 2, 3, 4, 5])
        # Messages 8 to 12 have lower identifiers than 5 to 7, which are older.
        assert told(line.several(5)) == [(PUBLISH, one) for one in range(1, 6)]
        released = [6, 7, 8, 1] if level == "2" else []
        line.answer(PUBREC, *released)
        assert told(line.several(len(released))) == [(PUBREL, one) for one in released]
        line.end()
        line = server.accept(resumed=True)
        again = line.several(8)
        releases, publications = again[: len(released)], again[len(released) :]
        assert told(releases) == [(PUBREL, one) for one in released]
        assert [seq(packet) for packet in publications] == list(range(5 + len(released), 13))
        assert all(packet.again for packet in publications)
        published = serve(line, again, level, 11)
        assert published == list(range(5 + len(released), 16))
        settled = publisher.wait("settled")
        assert (settled["acknowledged"], settled["failed"]) == (16, 0)


@either_version
def test_nothing_is_overtaken_however_often_the_connection_breaks(
    peer: Pair, launch: Launch, tmp_path: Path
) -> None:
    count = 40
    with scripted_broker.broker() as server:
        publisher = launch(peer)
        prepare(publisher, peer, server.port, "1", "publisher", count, tmp_path, inflight="1")
        for number in range(count):
            line = server.accept(resumed=number > 0)
            if number == 0:
                begin(publisher, count)
            packet = line.read()
            assert seq(packet) == number
            line.answer(PUBACK, packet.id)
            line.end()
        server.accept(resumed=True)
        assert publisher.wait("settled")["acknowledged"] == count


@either_version
def test_a_message_that_the_server_sends_again_arrives_once(
    peer: Pair, launch: Launch, tmp_path: Path
) -> None:
    first, second, third = distinct_messages(3, 10)
    with scripted_broker.broker() as server:
        subscriber = launch(peer)
        samples = prepare(subscriber, peer, server.port, "2", "subscriber", 3, tmp_path)
        line = server.accept(resumed=False)
        asked = line.read()
        assert asked.kind == SUBSCRIBE
        line.send(SUBACK, struct.pack(">H", asked.id) + (b"\0" if line.is_five else b"") + b"\2")
        begin(subscriber, 3)
        line.publish(TOPIC, 2, 1, first)
        line.publish(TOPIC, 2, 2, second)
        assert told(line.several(2)) == [(PUBREC, 1), (PUBREC, 2)]
        line.answer(PUBREL, 2)
        assert told(line.several(1)) == [(PUBCOMP, 2)]
        line.end()
        line = server.accept(resumed=True)
        # As a server does that got neither the first PUBREC nor the PUBCOMP.
        line.publish(TOPIC, 2, 1, first, again=True)
        line.answer(PUBREL, 2, 1)
        assert told(line.several(3)) == [(PUBREC, 1), (PUBCOMP, 2), (PUBCOMP, 1)]
        line.publish(TOPIC, 2, 1, third)
        assert told(line.several(1)) == [(PUBREC, 1)]
        subscriber.tell("stop")
        subscriber.wait("stopped")
    assert [sample.seq for sample in read_samples(samples)] == [0, 1, 2]


def start(name: str, folder: Path, storing: str = STORING) -> Broker:
    """A server of MQTT 3.1.1, if it is installed."""
    try:
        check(name, "mqtt")
    except BadInput as error:
        pytest.skip(error.sentence)
    return Broker(name, "mqtt", folder, storing)


def exchange(port: int, level: str, count: int) -> None:
    """Publish, each message after the one before has been acknowledged."""
    line, _ = scripted_broker.connect(port, "source")
    for number in range(count):
        line.publish(TOPIC, int(level), number + 1, struct.pack("<Q", number))
        if level == "2":
            assert line.read() == Packet(PUBREC, number + 1)
            line.answer(PUBREL, number + 1)
        assert line.read() == Packet(PUBACK if level == "1" else PUBCOMP, number + 1)
    line.end()


# rmqtt 0.24.0 resends unacknowledged messages in reverse order: the newest first.
@pytest.mark.parametrize(("name", "order"), [("mosquitto", [0, 1, 2, 3, 4]), ("built-in", [4, 3, 2, 1, 0])])
def test_the_order_in_which_a_server_resends_unacknowledged_messages(
    name: str, order: list[int], tmp_path: Path
) -> None:
    server = start(name, tmp_path)
    try:
        line, _ = scripted_broker.connect(server.port, "sink")
        scripted_broker.subscribe(line, TOPIC, 1)
        exchange(server.port, "1", 5)
        assert [seq(packet) for packet in line.several(5)] == [0, 1, 2, 3, 4]
        line.end()
        line, resumed = scripted_broker.connect(server.port, "sink")
        assert resumed
        again = line.several(5)
        assert all(packet.again for packet in again)
        assert [seq(packet) for packet in again] == order
    finally:
        server.stop()


@pytest.mark.parametrize(("most", "comes"), [("65534", PUBREL), ("0", PUBLISH)])
def test_mosquitto_2_0_11_sends_a_released_message_twice_over_its_end_where_messages_in_flight_have_no_limit(
    most: str, comes: int, tmp_path: Path
) -> None:
    limited = STORING.replace("max_inflight_messages 65534", f"max_inflight_messages {most}")
    server = start("mosquitto", tmp_path, limited)
    try:
        line, _ = scripted_broker.connect(server.port, "sink")
        scripted_broker.subscribe(line, TOPIC, 2)
        exchange(server.port, "2", 1)
        sent = line.read()
        assert seq(sent) == 0
        line.answer(PUBREC, sent.id)
        assert line.read() == Packet(PUBREL, sent.id)
        server.end(signal.SIGTERM)
        line.stream.close()
        server.again()
        line, resumed = scripted_broker.connect(server.port, "sink")
        assert resumed
        assert told(line.several(1)) == [(comes, sent.id)]
        line.end()
    finally:
        server.stop()
