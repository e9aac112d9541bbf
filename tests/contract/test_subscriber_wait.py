"""The queue depth of a server in a JVM: messages that a stalled subscriber has not acknowledged."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from harness import Peer, distinct_messages, now, write_messages
from pair import Pair, peer
from trial import prepare_keys

from wirelab.lab import servers
from wirelab.lab.hosts import Loopback
from wirelab.lab.ports import free_port
from wirelab.model.errors import BadInput
from wirelab.model.result import Waiting

MESSAGES = 500


@pytest.mark.parametrize(
    ("name", "protocol", "level"),
    [
        ("artemis", "mqtt", "1"),
        ("qpid", "amqp", "confirm"),
        ("qpid", "amqp10", "unsettled"),
    ],
)
def test_unacknowledged_messages_of_a_stalled_subscriber_count_as_queue_depth(
    name: str, protocol: str, level: str, tmp_path: Path
) -> None:
    try:
        servers.check(name, protocol)
    except BadInput as error:
        pytest.skip(error.sentence)
    port = free_port()
    server = servers.start(name, servers.Site(protocol, port, Loopback(), tmp_path, "tcp", level))
    assert server is not None
    assert server.watcher is not None
    messages = write_messages(tmp_path / "messages", distinct_messages(MESSAGES, 100))
    pair = Pair(
        name, peer(protocol), None, {level: "at-least-once"}, options=servers.peer_options(name, protocol)
    )
    place = {"address": "127.0.0.1", "port": port}
    peers = {role: Peer(pair.peer) for role in ("subscriber", "publisher")}
    try:
        for role, one in peers.items():
            keys = prepare_keys(pair, place, level, messages, role, topic="wirelab/t", capacity=2 * MESSAGES)
            one.tell("prepare", **keys)
            one.wait("prepared")
        peers["subscriber"].process.send_signal(signal.SIGSTOP)
        begun = now()
        flood = {"kind": "flood", "count": MESSAGES, "duration_ns": None}
        peers["publisher"].tell("start", at_ns=begun, schedule=flood)
        peers["publisher"].wait("settled")
        deadline = time.monotonic() + 60
        while servers.seen(server.watcher, begun).last != MESSAGES and time.monotonic() < deadline:
            time.sleep(0.05)
        assert servers.seen(server.watcher, begun) == Waiting(peak=MESSAGES, last=MESSAGES)
    finally:
        for one in peers.values():
            one.process.send_signal(signal.SIGCONT)
            one.kill()
        server.stop()
