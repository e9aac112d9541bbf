"""A number is never shown without its interval: an Estimate carries both."""

from __future__ import annotations

from msgspec import Struct

from wirelab.model.units import show


class Estimate(Struct, frozen=True):
    """A value in `unit` with its confidence interval.

    `unit` is a stored unit: ns, B, fraction, B/message, 1/s, cores ... `replicates` is the number of independent
    processes behind it, `n` the number of single values in all of them, `method` how the interval came about.
    `open_above` means that so few values cannot bound it from above: `high` is then only the largest value seen.
    """

    value: float
    low: float
    high: float
    unit: str
    replicates: int
    n: int
    method: str
    confidence: float = 0.95
    open_above: bool = False

    def __str__(self) -> str:
        if self.low == self.high and not self.open_above and self.n == 1:
            return f"{show(self.value, self.unit)} [{self.method}]"
        above = ">" if self.open_above else ""
        return f"{show(self.value, self.unit)} [{show(self.low, self.unit)}, {above}{show(self.high, self.unit)}]"
