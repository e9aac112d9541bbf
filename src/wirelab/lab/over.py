"""When exchanges are over: told from the peers' counts, the kernel's send queues and the link's own counters."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random

from wirelab.lab.hosts import Hosts
from wirelab.lab.peer import Peer
from wirelab.lab.process import unsent_bytes
from wirelab.lab.servers import Server
from wirelab.model.errors import WirelabError

POLL_S = 0.05
# Peers tell of progress every 100 ms; looking more often shows nothing new.
EXCHANGE_POLL_S = 0.02
# A delivered message leaves acknowledgements behind: the link has to be silent this long before the next one is sent.
SETTLE_NS = 150_000_000
# Patience beyond this is for retransmissions of the protocol's own, which the link sees.
LONG_NS = 10_000_000_000
# Told so much ahead, a message is not late before the peer has read of it; the draw keeps it out of step with the link's ticks.
LEAD_NS, DRAWN_NS = 5_000_000, 100_000_000
EXCHANGE_LIMIT_NS = 200_000_000_000


class Watch:
    """A publisher, its subscribers, their server and their link, looked at again and again."""

    def __init__(
        self,
        publisher: Peer,
        subscribers: Sequence[Peer],
        server: Server | None,
        hosts: Hosts,
        linger_s: float,
    ) -> None:
        self.publisher, self.subscribers = publisher, subscribers
        self.linger_ns = int(linger_s * 1e9)
        self.quiet_since = time.monotonic_ns()
        self._server, self._hosts = server, hosts
        self._seen: tuple[int, int] = (-1, -1)

    def look(self, packets: bool) -> int:
        """Take in what happened; the time of looking. Quiet: nothing waits in a send queue, nothing has arrived, and (`packets`) nothing crossed the link."""
        now = time.monotonic_ns()
        self.publisher.drain()
        for subscriber in self.subscribers:
            subscriber.drain()
        if self._server is not None and self._server.process.poll() is not None:
            raise WirelabError("server", "ended in the middle of the trial", "see server.log")
        received = sum(subscriber.counters["received"] for subscriber in self.subscribers)
        seen = (received, self._crossed() if packets else 0)
        if seen != self._seen or self._unsent():
            self._seen, self.quiet_since = seen, now
        return now

    def fewest(self) -> int:
        """How many messages have arrived at the subscriber that has the fewest."""
        return min(subscriber.counters["received"] for subscriber in self.subscribers)

    def busy(self, now: int) -> None:
        """Something is under way that looking does not show."""
        self.quiet_since = now

    def _unsent(self) -> bool:
        pids = [peer.process.pid for peer in (self.publisher, *self.subscribers)]
        if self._server is not None:
            pids.append(self._server.process.pid)
        return any(unsent_bytes(pid) for pid in pids)

    def _crossed(self) -> int:
        hosts = self._hosts.snapshot().get("hosts", {})
        return sum(int(way["packets"]) for ways in hosts.values() for way in ways.values())


def one_by_one(watch: Watch, total: int, acknowledged: bool, seed: int) -> None:
    """Send `total` messages, each when the exchange before it is over: delivered or given up, its fate known, the link silent."""
    drawn = Random(seed)
    for number in range(1, total + 1):
        at_ns = time.monotonic_ns() + LEAD_NS + drawn.randrange(DRAWN_NS)
        watch.publisher.tell("send", at_ns=at_ns)
        _exchange(watch, number, acknowledged, at_ns)


def _exchange(watch: Watch, number: int, acknowledged: bool, at_ns: int) -> None:
    before = watch.fewest()
    while True:
        time.sleep(EXCHANGE_POLL_S)
        now = watch.look(packets=True)
        counts = watch.publisher.counters
        known = counts["sent"] >= number and (
            not acknowledged or counts["acknowledged"] + counts["failed"] >= number
        )
        arrived = watch.fewest() > before
        if known and now - watch.quiet_since > (SETTLE_NS if arrived else watch.linger_ns):
            return
        if now - at_ns > EXCHANGE_LIMIT_NS:
            return
