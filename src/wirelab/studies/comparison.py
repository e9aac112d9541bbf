"""One comparison of a claim, decided by the interval of the differences over the replicates.

docs/explanation/claims.md explains the rules.
"""

from __future__ import annotations

import enum
import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]


class Outcome(enum.Enum):
    """The outcome of one comparison."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"


def compare(
    a: Floats | float, sign: str, b: Floats | float, tolerance: float, error: float, shared: float
) -> Outcome:
    """One comparison.

    `<`: less by more than `tolerance`. `<=`: not more by more than it. `~`: neither less nor more
    by more than it. `=`: equal in every replicate.

    A comparison is confirmed if the interval of the difference at 1 - `error` is wholly on the
    claimed side. It is refuted if the interval at 1 - `shared` is wholly on the other side;
    `shared` is `error` divided among all comparisons of a claim. Otherwise it is inconclusive. More
    replicates decide an inconclusive comparison, and reverse a decided one only by chance.

    Exact values are compared exactly. `> 0` of a value that is never negative is confirmed as soon
    as one replicate is above 0.
    """
    if sign in (">", ">="):
        a, b, sign = b, a, sign.replace(">", "<")
    difference = _numbers(a, b)
    if not len(difference):
        return Outcome.INCONCLUSIVE
    known = isinstance(a, float) and isinstance(b, float)
    sure, safe = _interval(difference, error, known), _interval(difference, shared, known)
    slack = tolerance * abs(float(np.nanmean(b)))
    if sign == "=":
        so, not_so = not difference.any(), bool(difference.any())
    elif sign == "~":
        so, not_so = -slack <= sure[0] and sure[1] <= slack, safe[0] > slack or safe[1] < -slack
    elif sign == "<" and isinstance(a, float) and a == 0 and bool(np.all(difference <= 0)):
        # The value cannot be negative: one replicate above 0 shows that it is not always 0.
        so, not_so = bool(np.any(difference < 0)), known and not difference.any()
    elif sign == "<":
        limit = 0.0 if known else -slack
        so, not_so = sure[1] < limit, safe[0] >= limit
    else:
        limit = 0.0 if known else slack
        so, not_so = sure[1] <= limit, safe[0] > limit
    return Outcome.REFUTED if not_so else Outcome.CONFIRMED if so else Outcome.INCONCLUSIVE


def _numbers(a: Floats | float, b: Floats | float) -> Floats:
    """The differences of the replicates that have both."""
    difference = np.atleast_1d(np.subtract(a, b))
    finite: Floats = difference[np.isfinite(difference)]
    return finite


def _interval(values: Floats, level: float, known: bool) -> tuple[float, float]:
    """The t interval of the mean; NaN for a single replicate. Exact values have no error."""
    if known:
        return float(values[0]), float(values[0])
    if len(values) < 2:
        return math.nan, math.nan
    half = float(special.stdtrit(len(values) - 1, 1 - level / 2) * values.std(ddof=1)) / math.sqrt(
        len(values)
    )
    return float(values.mean()) - half, float(values.mean()) + half
