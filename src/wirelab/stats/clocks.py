"""How far two machines' clocks are apart, from questions one asks the other; pure.

One side reads its clock, asks the other for its, and reads its own again. The other read between the two, so it is ahead by what it
said less the middle, give or take half the round trip (Cristian 1989, Probabilistic clock synchronization; RFC 5905, 8). Only the
fastest exchange counts: what is slow waited somewhere, and nobody knows on which way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wirelab.model.json_stream import Offset

Ints = NDArray[np.int64]


class Exchange(Struct, frozen=True):
    """One question: asked and answered by the own clock, and what the other clock said in between; ns."""

    asked: int
    theirs: int
    answered: int

    @property
    def half(self) -> float:
        """By how much `ahead` may be off."""
        return (self.answered - self.asked) / 2

    @property
    def ahead(self) -> float:
        """By how much the other clock is ahead."""
        return (2 * self.theirs - self.asked - self.answered) / 2


def offset(before: Sequence[Exchange], during: Sequence[Exchange], after: Sequence[Exchange]) -> Offset:
    """The offset over a measurement: a straight line from the best exchange before it to the best after it.

    The error is half the longer of those two round trips, and what the exchanges during it show the line to be off beyond
    their own. Raises ValueError where before or after is empty.
    """
    first, last = best(before), best(after)
    drift = (last.ahead - first.ahead) / max(1, last.theirs - first.theirs)
    off = (abs(one.ahead - first.ahead - drift * (one.theirs - first.theirs)) - one.half for one in during)
    error = max(first.half, last.half) + max([0.0, *off])
    return Offset(first.theirs, first.ahead, drift, error)


def best(exchanges: Sequence[Exchange]) -> Exchange:
    """The fastest. Raises ValueError where there is none."""
    return min(exchanges, key=lambda one: one.half)


def here(clock: Offset, theirs: Ints) -> Ints:
    """The own clock's times when the other one said `theirs`; 0 stands for no time and stays."""
    # A double keeps a difference of times to the ns; of times since boot, after 100 days, it would not.
    off = np.rint(clock.ahead + clock.drift * (theirs - clock.theirs)).astype(np.int64)
    found: Ints = np.where(theirs == 0, 0, theirs - off)
    return found
