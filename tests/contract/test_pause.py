"""A paused server shows in the latencies of all messages that were due during the pause."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest
from harness import Peer, Server, distinct_messages
from pair import Pair
from trial import SECOND, Trial

pytestmark = pytest.mark.matrix

RATE = 1000
COUNT = 3 * RATE
PAUSED = 1400
"""This many messages are due while the server is paused: 1.4 s."""


@pytest.mark.pairs("mqtt with mosquitto")
def test_a_server_paused_for_1400_ms_shows_a_99th_percentile_above_1_s(
    pair: Pair, own_server: Server | None, trial: Callable[..., Trial]
) -> None:
    assert own_server
    both = trial(pair, own_server, "0", distinct_messages(COUNT, 20), count=COUNT)
    publisher = both.peers["publisher"]
    both.start(kind="interval", interval_ns=SECOND // RATE, count=COUNT, duration_ns=None)
    paused_at = until_sent(publisher, RATE // 2)
    own_server.process.send_signal(signal.SIGSTOP)
    try:
        until_sent(publisher, paused_at + PAUSED)
    finally:
        own_server.process.send_signal(signal.SIGCONT)
    both.settle()
    both.drain(COUNT)
    both.end()
    planned = {sample.seq: sample.planned for sample in both.samples("publisher")}
    arrivals = both.samples("subscriber")
    took = sorted(sample.received - planned[sample.seq] for sample in arrivals)
    assert len(took) == COUNT
    assert took[COUNT * 99 // 100] > SECOND


def until_sent(publisher: Peer, count: int) -> int:
    """Wait until the publisher has sent `count` messages. Returns the number then."""
    while (sent := publisher.wait("progress")["sent"]) < count:
        pass
    return int(sent)
