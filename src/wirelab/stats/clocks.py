"""The offset between two machines' clocks, from exchanges of clock readings. Pure.

One side reads its clock, requests a reading of the other clock, and reads its own again. The
other reading was taken in between. Its offset is the reading minus the middle of the own
readings, with an error of half the round trip (Cristian 1989, Probabilistic clock
synchronization; RFC 5905, 8). Only the fastest exchange counts: a slow one waited in a queue, in
an unknown direction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wirelab.model.json_stream import Offset

Ints = NDArray[np.int64]


class Exchange(Struct, frozen=True):
    """One exchange: request and response by the own clock, and the reading of the other clock, in
    ns.
    """

    asked: int
    theirs: int
    answered: int

    @property
    def half(self) -> float:
        """The largest error of `ahead`."""
        return (self.answered - self.asked) / 2

    @property
    def ahead(self) -> float:
        """The offset of the other clock."""
        return (2 * self.theirs - self.asked - self.answered) / 2


def offset(before: Sequence[Exchange], during: Sequence[Exchange], after: Sequence[Exchange]) -> Offset:
    """The offset during a measurement: a line from the best exchange before it to the best after
    it.

    The error is half the longer of these two round trips, plus the deviation of exchanges during
    the measurement from the line, beyond their own error. Raises ValueError if before or after is
    empty.
    """
    first, last = best(before), best(after)
    drift = (last.ahead - first.ahead) / max(1, last.theirs - first.theirs)
    off = (abs(one.ahead - first.ahead - drift * (one.theirs - first.theirs)) - one.half for one in during)
    error = max(first.half, last.half) + max([0.0, *off])
    return Offset(first.theirs, first.ahead, drift, error)


def best(exchanges: Sequence[Exchange]) -> Exchange:
    """The fastest exchange. Raises ValueError if there is none."""
    return min(exchanges, key=lambda one: one.half)


def to_own_clock(clock: Offset, theirs: Ints) -> Ints:
    """The own clock's times for `theirs` of the other clock. 0 means no time and is kept."""
    # A double holds a difference of times to the ns, but not a time since boot after 100 days.
    off = np.rint(clock.ahead + clock.drift * (theirs - clock.theirs)).astype(np.int64)
    found: Ints = np.where(theirs == 0, 0, theirs - off)
    return found
