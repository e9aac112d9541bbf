"""A number is never shown without its interval: an Estimate carries both."""

from __future__ import annotations

from msgspec import Struct

from wirelab.model.units import show


class Estimate(Struct, frozen=True):
    """A value in `unit` with its confidence interval.

    `unit` is a stored unit: ns, B, fraction, B/message, 1/s, cores ... `replicates` is the number of independent
    processes behind it, `n` the number of single values in all of them, `method` how the interval came about.
    """

    value: float
    low: float
    high: float
    unit: str
    replicates: int
    n: int
    method: str
    confidence: float = 0.95

    def __str__(self) -> str:
        return f"{show(self.value, self.unit)} [{show(self.low, self.unit)}, {show(self.high, self.unit)}]"
