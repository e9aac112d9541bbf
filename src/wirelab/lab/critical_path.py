"""The path of a message through hosts and links, from the packet log, last packet first.

A packet left its host because a packet had arrived there, because the message was sent, or because
a packet had been lost and a timer ran out. Following these backwards from the arrival of a message
to its sending divides its time without gap or overlap.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wirelab.lab.hops import Flows, Hop, Hops, read_hops
from wirelab.model.host_role import CONSUMER, DEVICE, SERVER, role_of
from wirelab.model.result import MessagePath

Times = NDArray[np.int64]

# Messages whose path is followed, spread over the trial.
MOST_MESSAGES = 1000
# A log with more packets is that of a flood, whose exchanges overlap.
MOST_PACKETS = 300_000
MOST_STEPS = 1000
# A host reacts to an arrival within this time. At the device, where other messages are answered
# too, an arrival counts only within this share of the time since the sending.
REACTION_NS, REACTION_SHARE = 1_000_000, 0.1
# No timer for lost packets is shorter: TCP probes a tail after 10 ms at least (RFC 8985).
TIMER_NS = 10_000_000
PARTS = tuple(name for name in MessagePath.__struct_fields__ if name != "messages")


def mean_path(packets: NDArray[Any], flows: Flows, sent: Times, received: Times) -> MessagePath:
    """The mean path of messages between these times; empty if there is no log of them."""
    # On a shared medium a packet leaves a third record, which does not lead to a host.
    shared = any(flow["direction"] == "segment" for flow in flows)
    if shared or not len(sent) or not 0 < len(packets) <= MOST_PACKETS:
        return MessagePath()
    hops = read_hops(packets, flows)
    end = next((host for host in hops.arrived if role_of(host) == CONSUMER), DEVICE)
    chosen = np.unique(np.linspace(0, len(sent) - 1, min(len(sent), MOST_MESSAGES)).astype(int))
    found = [follow(hops, end, int(sent[i]), int(received[i])) for i in chosen]
    return MessagePath(len(found), **{name: float(np.mean([one[name] for one in found])) for name in PARTS})


def follow(hops: Hops, end: str, sent: int, received: int) -> dict[str, float]:
    """The parts of one message's time in ns, which add up to `received - sent`, and its turns."""
    walk = _Walk(hops, sent)
    last = _latest(hops.arrived.get(end, []), received, _by_arrival, lambda hop: hop.payload > 0)
    if last is None or last.arrived <= sent:
        walk.parts["unexplained"] += received - sent
        return walk.parts
    walk.spend("hosts", received - last.arrived)
    walk.cross(last)
    for _ in range(MOST_STEPS):
        if walk.at <= sent or not walk.step():
            break
    walk.parts["unexplained"] += max(0, walk.at - sent)
    return walk.parts


class _Walk:
    """Where the walk is: `at` a time on the host that the packet `hop` left."""

    def __init__(self, hops: Hops, sent: int) -> None:
        self.hops, self.sent = hops, sent
        self.parts: dict[str, float] = dict.fromkeys(PARTS, 0.0)

    def spend(self, part: str, ns: int) -> None:
        """Time in one part."""
        self.parts[part] += ns

    def cross(self, hop: Hop) -> None:
        """Go back over a packet's links, as far as the message had been sent."""
        self.hop, self.at = hop, max(hop.left, self.sent)
        whole = hop.arrived - hop.left
        share = (hop.arrived - self.at) / whole if whole > 0 else 0.0
        # Behind packets of its own message it waits for their bytes, not for capacity.
        own = min(hop.waiting, self._ahead(hop))
        self.parts["serialization"] += share * (hop.serialization + own)
        self.parts["capacity"] += share * (hop.waiting - own)
        self.parts["propagation"] += share * (whole - hop.serialization - hop.waiting)

    def _ahead(self, hop: Hop) -> int:
        """The serialization of the packets that left on the connection since the sending."""
        sent = self.hops.left.get(hop.source, [])
        begin = bisect_left(sent, self.sent, key=_by_departure)
        end = bisect_left(sent, hop.left, key=_by_departure)
        return sum(one.serialization for one in sent[begin:end] if one.connection == hop.connection)

    def step(self) -> bool:
        """Go back to what made the host send the packet. False if nothing shows it."""
        host, first = self.hop.source, role_of(self.hop.source) == DEVICE
        since = self.at - self.sent
        if first and since <= REACTION_NS:
            return self._begin()
        before = self._arrival(host, first)
        waited = self.at - before.arrived if before else since
        if first and waited > REACTION_SHARE * since:
            before = None
        if before and waited <= REACTION_NS:
            return self._react(before, waited)
        last = self._departure(host)
        if self._timer_ran(last):
            return self._wait(last, "retransmission")
        if first and last > max(self.sent, before.arrived if before else 0):
            # The kernel or the library spaced its packets.
            return self._wait(last, "hosts")
        if before:
            return self._react(before, waited)
        return self._begin() if first else False

    def _wait(self, last: int, part: str) -> bool:
        begun = max(last, self.sent)
        self.spend(part, self.at - begun)
        self.parts["timeouts"] += part == "retransmission"
        self.at = begun
        return True

    def _begin(self) -> bool:
        self.spend("hosts", self.at - self.sent)
        self.at = self.sent
        return True

    def _react(self, before: Hop, waited: int) -> bool:
        # A bare acknowledgement that comes late is the kernel's doing, not the broker's.
        own = role_of(before.target) == SERVER and self.hop.payload > 0
        self.spend("broker" if own else "hosts", waited)
        back = role_of(before.target) == DEVICE or role_of(before.source) == CONSUMER
        if back and before.arrived - before.left > REACTION_NS:
            self.parts["answers" if before.payload else "acknowledgements"] += 1
        self.cross(before)
        return True

    def _arrival(self, host: str, first: bool) -> Hop | None:
        """The latest packet that may have made the host send: on the same connection at the device,
        one with data elsewhere.
        """
        connection = self.hop.connection
        fits = (lambda hop: hop.connection == connection) if first else (lambda hop: hop.payload > 0)
        found = _latest(self.hops.arrived.get(host, []), self.at, _by_arrival, fits)
        return found if found is not None and found.arrived > self.sent else None

    def _departure(self, host: str) -> int:
        """When the host had sent data last on the connection; 0 if it had not."""
        connection = self.hop.connection
        last = _latest(
            self.hops.left.get(host, []),
            self.at - 1,
            _by_departure,
            lambda hop: hop.connection == connection and hop.payload > 0,
        )
        return last.left if last is not None else 0

    def _timer_ran(self, last: int) -> bool:
        """Whether a packet was lost on the connection, for which a timer may run since `last`.

        It may be that of an earlier message, if nothing was sent since.
        """
        lost = _latest(
            self.hops.lost.get(self.hop.connection, []), self.at - 1, _by_departure, lambda _: True
        )
        return bool(last and lost and lost.left >= min(self.sent, last) and self.at - last > TIMER_NS)


def _by_arrival(hop: Hop) -> int:
    return hop.arrived


def _by_departure(hop: Hop) -> int:
    return hop.left


def _latest(
    hops: Sequence[Hop], at: int, key: Callable[[Hop], int], fits: Callable[[Hop], bool]
) -> Hop | None:
    """The last of hops in order of `key` that is not after a time and fits."""
    index = bisect_right(hops, at, key=key)
    while index:
        index -= 1
        if fits(hops[index]):
            return hops[index]
    return None
