"""The drain: detect the end of exchanges by counts of peers, kernel send queues and link counters."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from msgspec import Struct

from wirelab.lab.drain_limits import DrainState
from wirelab.lab.hosts import Hosts
from wirelab.lab.peer import Peer
from wirelab.lab.peer_contract import Send
from wirelab.lab.process import unsent_bytes
from wirelab.lab.servers import Server
from wirelab.model.errors import WirelabError

# Acknowledgements follow a delivered message: the link must be silent this long before the next.
SETTLE_NS = 150_000_000
# Peers report progress every 100 ms, so reading events more often gains nothing. Reading the link's
# counters and the kernel's tables costs far more, and would add to latencies of concurrent trials.
LISTEN_S, LOOK_NS = 0.02, SETTLE_NS
# A drain timeout above this is for the protocol's own retransmissions, which cross the link.
LONG_NS = 10_000_000_000
# A delivered message with a lost acknowledgement is sent again within this time, the first and the
# second time (RFC 7252, 4.2: 2 to 3 s, then 4 to 6 s).
AGAIN_NS = 6_200_000_000
# `send` commands are this much early, so that messages are not late. Random jitter decorrelates
# them from the link's ticks.
LEAD_NS, DRAWN_NS = 5_000_000, 100_000_000
EXCHANGE_LIMIT_NS = 200_000_000_000
# A frame that the counters miss would be in flight for ever. After this time none is assumed to be.
FLIGHT_LIMIT_NS = 100_000_000_000
# On a slow link, both limits are as many exchanges, which may be repeated four times by TCP or
# CoAP.
LIMIT_EXCHANGES = 40


class LinkTotals(Struct, frozen=True):
    """Frame counts of the link: entered, dropped, in flight."""

    entered: int = 0
    dropped: int = 0
    flying: int = 0


def link_totals(link: Mapping[str, Any]) -> LinkTotals:
    """The sums over all hosts of the link's accounting (docs/contracts/lab.md)."""
    ways = [way for host in link.get("hosts", {}).values() for way in host.values()]
    middle = [link["segment"]] if link.get("segment") else []
    dropped = sum(sum(way["dropped"].values()) for way in [*ways, *middle])
    copies = sum(way.get("duplicated", 0) for way in [*ways, *middle])
    entered = sum(host["up"]["packets"] for host in link.get("hosts", {}).values())
    arrived = sum(host["down"]["delivered"] for host in link.get("hosts", {}).values())
    return LinkTotals(sum(way["packets"] for way in ways), dropped, entered + copies - dropped - arrived)


class Publishers:
    """One or more publishers as one."""

    def __init__(self, peers: Sequence[Peer]) -> None:
        self.peers = peers

    @property
    def settled(self) -> bool:
        """Whether all publishers have settled."""
        return all(peer.settled for peer in self.peers)

    @property
    def counters(self) -> dict[str, int]:
        """The sums of their counters."""
        return {key: sum(peer.counters[key] for peer in self.peers) for key in self.peers[0].counters}


class DrainMonitor:
    """Polls publishers, subscribers, their server and their link."""

    def __init__(
        self,
        publishers: Sequence[Peer],
        subscribers: Sequence[Peer],
        server: Server | None,
        hosts: Hosts,
        linger_s: float,
        exchange_s: float = 0.0,
    ) -> None:
        self.publisher, self.subscribers = Publishers(publishers), subscribers
        self.linger_ns = int(linger_s * 1e9)
        slow_ns = round(exchange_s * 1e9)
        # A frame may be on its way for longer than the polls are apart.
        self.is_slow = self.linger_ns > LONG_NS or slow_ns > LOOK_NS
        self.exchange_limit_ns = max(EXCHANGE_LIMIT_NS, LIMIT_EXCHANGES * slow_ns)
        self._flight_limit_ns = max(FLIGHT_LIMIT_NS, LIMIT_EXCHANGES * slow_ns)
        self.quiet_since = self._moved = time.monotonic_ns()
        self._server, self._hosts = server, hosts
        self._received, self._crossed = -1, LinkTotals()
        self._last_lost, self._looked = False, 0

    def listen(self) -> int:
        """Read the events of peers. Returns the time. An arrival restarts the quiet period."""
        now = time.monotonic_ns()
        for peer in (*self.publisher.peers, *self.subscribers):
            peer.drain()
        if self._server is not None and self._server.process.poll() is not None:
            raise WirelabError("server", "ended during the trial", "see server.log")
        received = sum(subscriber.counters["received"] for subscriber in self.subscribers)
        if received != self._received:
            self._received, self.quiet_since = received, now
        return now

    def look(self, link: bool) -> int:
        """Read events and, at longer intervals, queues and counters. Returns the time.

        Quiet: nothing has arrived, all send queues are empty and, with `link`, nothing has entered
        the link or is in flight there.
        """
        now = self.listen()
        if now - self._looked < LOOK_NS:
            return now
        self._looked = now
        if self._unsent() or (link and self._moving(now)):
            self.quiet_since = now
        return now

    def quiet_enough(self, now: int, arrived: bool) -> bool:
        """Whether an exchange with a known outcome is over.

        It is delivered and silent since then, or silent for the protocol's drain timeout.

        If the last frame was lost, an acknowledgement is missing and a retransmission follows.
        """
        needed = SETTLE_NS if arrived else self.linger_ns
        if arrived and self._last_lost and self.linger_ns > LONG_NS:
            needed = AGAIN_NS
        return now - self.quiet_since >= needed

    def fewest(self) -> int:
        """Messages that arrived at the subscriber with the fewest.

        If each publisher has its own subscriber, it is the sum.
        """
        count = min if len(self.publisher.peers) == 1 else sum
        return count(subscriber.counters["received"] for subscriber in self.subscribers)

    def busy(self, now: int) -> None:
        """Restart the quiet period for activity that polling does not show."""
        self.quiet_since = now

    def skip(self, ns: int) -> int:
        """Advance the link's time if no frame is in flight. Returns the time skipped."""
        return ns if ns > 0 and self._hosts.skip(ns) else 0

    def state(self) -> DrainState:
        """Poll. Quiet: all publishers have settled, send queues are empty, nothing arrives."""
        publisher = self.publisher
        now = self.look(self.is_slow) if publisher.settled else self.listen()
        if not publisher.settled:
            self.busy(now)
        complete = self.fewest() >= publisher.counters["sent"]
        return DrainState(now, publisher.settled, complete, now - self.quiet_since)

    def _moving(self, now: int) -> bool:
        seen, before = link_totals(self._hosts.snapshot()), self._crossed
        if seen.entered != before.entered:
            self._last_lost = seen.dropped > before.dropped
        if seen != before:
            self._crossed, self._moved = seen, now
        return self._moved == now or (seen.flying > 0 and now - self._moved < self._flight_limit_ns)

    def _unsent(self) -> bool:
        pids = [peer.process.pid for peer in (*self.publisher.peers, *self.subscribers)]
        if self._server is not None:
            pids.append(self._server.process.pid)
        return unsent_bytes(pids) > 0


def send_stop_and_wait(
    watch: DrainMonitor, total: int, spacing_ns: int, acknowledged: bool, seed: int
) -> None:
    """Send `total` messages in stop-and-wait.

    Each is sent when the previous exchange is over: delivered or given up, the outcome known, the
    link silent. The link's time is advanced so that they are at least `spacing_ns` apart on the
    link.
    """
    drawn, begun, skipped = Random(seed), time.monotonic_ns(), 0
    for number in range(1, total + 1):
        wait_ns = LEAD_NS + drawn.randrange(DRAWN_NS)
        at_ns = time.monotonic_ns() + wait_ns
        watch.publisher.peers[0].send(Send(at_ns))
        time.sleep(wait_ns / 1e9)
        _exchange(watch, number, acknowledged, at_ns)
        passed = time.monotonic_ns() - begun + skipped
        skipped += watch.skip(number * spacing_ns - passed)


def _exchange(watch: DrainMonitor, number: int, acknowledged: bool, at_ns: int) -> None:
    before = watch.fewest()
    while True:
        time.sleep(LISTEN_S)
        now = watch.listen()
        counts = watch.publisher.counters
        known = counts["sent"] >= number and (
            not acknowledged or counts["acknowledged"] + counts["failed"] >= number
        )
        if known and watch.quiet_enough(watch.look(link=True), watch.fewest() > before):
            return
        if now - at_ns > watch.exchange_limit_ns:
            return
