"""A publisher with many connections: each carries its share, and all outcomes are known."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness import ACKNOWLEDGED, Server, distinct_messages
from pair import Pair
from trial import Trial

COUNT = 500
MANY = {"connections": "200", "inflight": "100"}


@pytest.mark.pairs("mqtt with mosquitto")
@pytest.mark.parametrize("level", ["0", "1", "2"])
def test_every_message_over_many_connections_arrives_once(
    pair: Pair, server: Server | None, trial: Callable[..., Trial], level: str
) -> None:
    both = trial(pair, server, level, distinct_messages(COUNT, 100), options=MANY)
    both.start(kind="flood", count=COUNT, duration_ns=None)
    settled = both.settle()
    both.drain(COUNT)
    both.end()
    assert sorted(sample.seq for sample in both.samples("subscriber")) == list(range(COUNT))
    acknowledged = sum(sample.flags == ACKNOWLEDGED for sample in both.samples("publisher"))
    assert acknowledged == settled["acknowledged"] == (0 if level == "0" else COUNT)


@pytest.mark.pairs("mqtt with mosquitto")
def test_a_server_that_is_gone_ends_a_publisher_with_many_connections(
    pair: Pair, own_server: Server | None, trial: Callable[..., Trial]
) -> None:
    assert own_server
    both = trial(pair, own_server, "0", [b"message"], options=MANY)
    own_server.kill()
    publisher = both.peers["publisher"]
    while (event := publisher.next()) is not None and event["event"] != "error":
        pass
    assert event
    assert event["fatal"]
    assert event["what"] == f"connection to 127.0.0.1:{own_server.port}"
    assert publisher.ended() == 1
