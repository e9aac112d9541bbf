"""Search for the highest rate without loss or a growing backlog, in one trial of rising rates.

`search,100/s>100000/s:20s`   twenty rates from 100 to 100,000/s, logarithmic, one second each
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from wirelab.model import units
from wirelab.model.arrivals import Search
from wirelab.model.errors import BadInput

if TYPE_CHECKING:  # every cell imports this module, and importing numpy is slow
    import numpy as np
    from numpy.typing import NDArray

EXAMPLE = "write it like search,100/s>100000/s:20s"
STEPS = 20
# Messages of this much time may be undelivered at the end of a step. More than that is a backlog.
BEHIND = 0.1


class Step(Struct, frozen=True):
    """A rate, in messages per second, for a time in seconds."""

    rate_hz: float
    seconds: float

    @property
    def messages(self) -> int:
        """The number of messages in the step; at least one."""
        return max(1, round(self.rate_hz * self.seconds))


def parse(text: str, arguments: str) -> Search:
    """The search in `100/s>100000/s:20s`. Raises BadInput."""
    rates, _, duration = arguments.rpartition(":")
    first, arrow, last = (part.strip() for part in rates.partition(">"))
    if not arrow or not duration:
        raise BadInput(f"workload '{text}'", "needs two rates and a duration", EXAMPLE)
    low, high, duration_ns = units.rate_hz(first), units.rate_hz(last), units.duration_ns(duration)
    if low is None or high is None or low >= high or duration_ns <= 0:
        raise BadInput(f"workload '{text}'", "does not rise", EXAMPLE)
    return Search(low, high, duration_ns)


def steps(search: Search) -> list[Step]:
    """The steps of a search."""
    growth = (search.high_hz / search.low_hz) ** (1 / (STEPS - 1))
    duration = search.duration_ns / 1e9 / STEPS
    return [Step(search.low_hz * growth**k, duration) for k in range(STEPS)]


def times(found: Sequence[Step]) -> Iterator[float]:
    """The intended send times in s from the start."""
    begin = 0.0
    for step in found:
        yield from (begin + i * step.seconds / step.messages for i in range(step.messages))
        begin += step.seconds


def sustained_hz(found: Sequence[Step], received: NDArray[np.int64], start_ns: int) -> float:
    """The rate of the last step before the first that was not carried; 0 if the first was not.

    `received` has the arrival time in ns of each message of the search, in the order of sending; 0
    if it did not arrive. The search began at `start_ns`. A step is carried if all its messages
    arrived, and if those due before the last 10 % of its time arrived before its end.
    """
    best, number, end_ns = 0.0, 0, float(start_ns)
    for step in found:
        end_ns += step.seconds * 1e9
        own = received[number : number + step.messages]
        due = own[: max(1, int(len(own) * (1 - BEHIND)))]
        if len(own) < step.messages or not own.all() or int(due.max()) > end_ns:
            break
        best, number = step.rate_hz, number + step.messages
    return best
