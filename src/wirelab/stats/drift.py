"""The test for a steady state: whether latency shows a trend during the trial."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

BLOCKS = 10
"""Block medians that are compared: few enough for 20 messages, enough for p < 0.01."""


class Drift(Struct, frozen=True):
    """`change`: median of the last third against the first, relative.

    `p`: Mann-Kendall over block medians.
    """

    steady: bool
    change: float
    p: float
    sentence: str


def drift(latency: NDArray[np.generic], limit: float = 0.5) -> Drift:
    """Judge latencies (any unit, in the order of sending) for a trend.

    Not steady: the block medians rise or fall together (Mann-Kendall, p < 0.01) and the last third
    differs from the first by more than `limit`. With under 2 messages per block there is no test,
    and the trial counts as steady.
    """
    from scipy import stats  # noqa: PLC0415 - the import takes half a second, and errors do not need it

    values = np.asarray(latency, dtype=np.float64)
    if len(values) < 2 * BLOCKS:
        return Drift(True, 0.0, 1.0, f"{len(values)} messages are too few to judge a trend")
    medians = np.array([np.median(block) for block in np.array_split(values, BLOCKS)])
    third = len(values) // 3
    first, last = float(np.median(values[:third])), float(np.median(values[-third:]))
    change = (last - first) / first if first > 0 else 0.0
    p = float(stats.kendalltau(np.arange(BLOCKS), medians).pvalue)
    if np.isnan(p):
        p = 1.0
    if p < 0.01 and abs(change) > limit:
        way = "rose" if change > 0 else "fell"
        return Drift(False, change, p, f"latency {way} by {abs(change):.0%} from the first third to the last")
    return Drift(True, change, p, "latency shows no trend that matters")
