"""A value with its interval."""

from __future__ import annotations

from msgspec import Struct

from wirelab.model.units import show


class Estimate(Struct, frozen=True):
    """A value in `unit` with its confidence interval.

    `unit` is a stored unit: ns, B, fraction, 1/s ... `replicates` is the number of independent
    processes, `n` the number of values in all of them, `method` the kind of interval. `open_above`:
    too few values to bound it from above; `high` is then the largest value seen.
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
