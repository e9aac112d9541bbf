"""The end of the drain, as a function of the state of a trial."""

from __future__ import annotations

import enum

from msgspec import Struct

POLL_S = 0.05
# If messages are still sent or still arrive this long after the last one was due, the combination
# does not carry the offered rate. Later arrivals count as not delivered.
OVERLOAD_NS = 10_000_000_000
# On a slow link, that takes as long as this many exchanges.
OVERLOAD_EXCHANGES = 4


def overload_ns(exchange_s: float) -> int:
    """How long after the last message was due a trial on a link with these exchanges is overloaded."""
    return max(OVERLOAD_NS, round(OVERLOAD_EXCHANGES * exchange_s * 1e9))


class DrainState(Struct, frozen=True):
    """A trial that drains, as of `now_ns`.

    `settled`: the publishers know the outcome of all messages. `complete`: all messages that were
    sent have arrived. `quiet_ns`: the time since something last happened.
    """

    now_ns: int
    settled: bool
    complete: bool
    quiet_ns: int


class DrainEnd(enum.Enum):
    """Why draining ended."""

    QUIET = "quiet"
    OVERLOADED = "overloaded"
    LIMIT = "limit"


class DrainLimits(Struct, frozen=True):
    """How long a trial drains.

    The last message is due at `due_ns`. `linger_ns` is the protocol's timeout. A trial
    `detects_overload` if its messages have planned times, `overload_ns` after the last.
    """

    due_ns: int
    linger_ns: int
    drain_ns: int
    detects_overload: bool = True
    poll_s: float = POLL_S
    overload_ns: int = OVERLOAD_NS

    def end(self, state: DrainState) -> DrainEnd | None:
        """Why draining is over; None while it continues."""
        overdue = state.now_ns - self.due_ns
        if state.settled and (state.complete or state.quiet_ns > self.linger_ns):
            return DrainEnd.QUIET
        if self.detects_overload and overdue > self.overload_ns and state.quiet_ns < self.overload_ns // 10:
            return DrainEnd.OVERLOADED
        return DrainEnd.LIMIT if overdue > self.drain_ns else None
