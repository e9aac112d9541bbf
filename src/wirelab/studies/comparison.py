"""One comparison of a claim: what the interval of the differences over the replicates says of it (docs/explanation/claims.md)."""

from __future__ import annotations

import enum
import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]


class Said(enum.Enum):
    """What one comparison says."""

    SO = "so"
    NOT_SO = "not so"
    OPEN = "open"


def compare(
    a: Floats | float, sign: str, b: Floats | float, tolerance: float, error: float, shared: float
) -> Said:
    """One comparison. `<`: less by more than `tolerance`; `<=`: not more by more than it; `~`: neither; `=`: equal in every replicate.

    It is so if the interval of the difference at 1 - `error` lies where it says, and not so if that at 1 - `shared` lies where it does
    not; else it is open. So more replicates make an open one clear, and never turn a clear one over. `shared` is `error` shared among
    all comparisons of a claim. Exact values are compared exactly. `> 0` of what is never negative is so if any replicate has it.
    """
    if sign in (">", ">="):
        a, b, sign = b, a, sign.replace(">", "<")
    difference = _numbers(a, b)
    if not len(difference):
        return Said.OPEN
    known = isinstance(a, float) and isinstance(b, float)
    sure, safe = _interval(difference, error, known), _interval(difference, shared, known)
    slack = tolerance * abs(float(np.nanmean(b)))
    if sign == "=":
        so, not_so = not difference.any(), bool(difference.any())
    elif sign == "~":
        so, not_so = -slack <= sure[0] and sure[1] <= slack, safe[0] > slack or safe[1] < -slack
    elif sign == "<" and isinstance(a, float) and a == 0 and bool(np.all(difference <= 0)):
        # Of what cannot be negative, one that is not zero shows that it is not always zero.
        so, not_so = bool(np.any(difference < 0)), known and not difference.any()
    elif sign == "<":
        limit = 0.0 if known else -slack
        so, not_so = sure[1] < limit, safe[0] >= limit
    else:
        limit = 0.0 if known else slack
        so, not_so = sure[1] <= limit, safe[0] > limit
    return Said.NOT_SO if not_so else Said.SO if so else Said.OPEN


def _numbers(a: Floats | float, b: Floats | float) -> Floats:
    """The differences of the replicates that have both."""
    difference = np.atleast_1d(np.subtract(a, b))
    finite: Floats = difference[np.isfinite(difference)]
    return finite


def _interval(values: Floats, level: float, known: bool) -> tuple[float, float]:
    """The t interval of the mean; NaN where one replicate cannot give one. Exact values have no error."""
    if known:
        return float(values[0]), float(values[0])
    if len(values) < 2:
        return math.nan, math.nan
    half = float(special.stdtrit(len(values) - 1, 1 - level / 2) * values.std(ddof=1)) / math.sqrt(
        len(values)
    )
    return float(values.mean()) - half, float(values.mean()) + half
