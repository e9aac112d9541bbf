"""Every end of a trial: the peer reports it, and its samples can be read."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import pytest
from harness import Peer, Server, distinct_messages
from pair import Pair
from trial import Trial

MakeTrial = Callable[..., Trial]
Launch = Callable[[Pair], Peer]
# A lab waits this long for a peer after `stop`.
GIVEN_UP_S = 10


@pytest.mark.once_per("peer")
@pytest.mark.parametrize("way", ["stop", "end of input"])
def test_an_idle_peer_ends_on_stop(pair: Pair, launch: Launch, way: str) -> None:
    peer = launch(pair)
    peer.tell("stop") if way == "stop" else peer.end_input()
    assert peer.wait("stopped")["sent"] == 0
    assert peer.ended() == 0


@pytest.mark.once_per("connection")
@pytest.mark.parametrize("way", ["stop", "end of input"])
def test_a_peer_in_the_middle_of_its_trial_ends_on_stop(
    pair: Pair, server: Server | None, trial: MakeTrial, way: str
) -> None:
    both = trial(pair, server, next(iter(pair.qos)), [b"message"])
    both.start(kind="interval", interval_ns=20_000_000, count=1_000_000, duration_ns=None)
    both.drain(2)
    for role, peer in both.peers.items():
        began = time.monotonic()
        peer.tell("stop") if way == "stop" else peer.end_input()
        stopped = peer.wait("stopped")
        assert peer.ended() == 0
        assert time.monotonic() - began < GIVEN_UP_S
        assert peer.next() is None
        records = both.samples(role)
        assert len(records) == stopped["sent"] + stopped["received"] > 0


@pytest.mark.once_per("peer")
def test_a_peer_that_sends_nothing_for_an_hour_ends_on_stop(
    pair: Pair, server: Server | None, trial: MakeTrial
) -> None:
    both = trial(pair, server, next(iter(pair.qos)), [b"message"])
    both.start(kind="interval", interval_ns=3600 * 10**9, count=2, duration_ns=None)
    began = time.monotonic()
    both.end()
    assert time.monotonic() - began < 2 * GIVEN_UP_S


@pytest.mark.once_per("peer")
def test_usage_is_reported_at_the_end(pair: Pair, server: Server | None, trial: MakeTrial) -> None:
    both = trial(pair, server, next(iter(pair.qos)), [b"message"])
    both.start(kind="interval", interval_ns=1_000_000, count=100, duration_ns=None)
    both.settle()
    for stopped in both.end().values():
        assert 0 < stopped["cpu_ns"] < 10**10
        assert 10**5 < stopped["max_rss_bytes"] < 10**9


@pytest.mark.once_per("connection")
def test_a_server_killed_in_mid_flood_is_a_fatal_error_and_leaves_readable_samples(
    pair: Pair, own_server: Server | None, trial: MakeTrial
) -> None:
    if own_server is None:
        pytest.skip("no server to kill")
    qos = list(pair.qos)[-1]
    both = trial(pair, own_server, qos, distinct_messages(1000, 1000), capacity=10**6, identity="header")
    both.start(kind="flood", count=10**9, duration_ns=None)
    both.drain(1000)
    own_server.kill()
    for role in ("publisher", "subscriber") if pair.hears_death else ("publisher",):
        peer = both.peers[role]
        while (event := peer.next()) and event["event"] == "progress":
            pass
        assert event is not None, role
        assert (event["event"], event["fatal"]) == ("error", True), role
        assert str(own_server.port) in event["what"]
        assert event["why"]
        assert peer.ended() == 1
    published, arrived = both.samples("publisher"), both.samples("subscriber")
    assert [sample.seq for sample in published] == list(range(len(published)))
    assert 0 < len(arrived) <= len(published)
    assert {sample.seq for sample in arrived} <= set(range(len(published)))


@pytest.mark.once_per("connection")
def test_a_subscriber_that_wakes_after_its_server_was_killed_reports_it(
    pair: Pair, own_server: Server | None, trial: MakeTrial
) -> None:
    if own_server is None or not pair.hears_death:
        pytest.skip("no server to kill, or none whose end a subscriber hears")
    qos = list(pair.qos)[-1]
    both = trial(pair, own_server, qos, distinct_messages(1000, 1000), capacity=10**6, identity="header")
    both.start(kind="flood", count=10**9, duration_ns=None)
    both.drain(1000)
    subscriber = both.peers["subscriber"]
    subscriber.process.send_signal(signal.SIGSTOP)
    # The server's messages fill its socket, so that acknowledging fails. A peer that acknowledges
    # itself gets no more messages.
    sent, deadline = len(both.samples("publisher")), time.monotonic() + 2
    while len(both.samples("publisher")) < sent + 5000 and time.monotonic() < deadline:
        time.sleep(0.005)
    own_server.kill()
    subscriber.process.send_signal(signal.SIGCONT)
    while (event := subscriber.next()) and event["event"] == "progress":
        pass
    assert event is not None
    assert (event["event"], event["fatal"]) == ("error", True)
    assert subscriber.ended() == 1
