"""Estimates from replicates: means, quantiles, proportions (docs/explanation/method.md)."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from wirelab.model.estimate import Estimate

Floats = NDArray[np.float64]

ENOUGH_BEYOND = 10
"""The messages beyond a quantile that a replicate needs for its quantile to be averaged."""


def mean_interval(
    replicates: Sequence[NDArray[np.generic]],
    unit: str,
    confidence: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> Estimate:
    """The mean over replicates of their means, with Student's t over those means.

    The interval of a time is a factor, taken from the logarithms. Any other interval is clipped to
    `bounds`, the range of possible values; without bounds, at 0 if no value is negative.

    `replicates` are the values of each replicate; empty ones are left out. With one replicate, its
    values count as independent, which `method` states. Raises ValueError if there is no value.
    """
    filled = _filled(replicates)
    n = sum(len(values) for values in filled)
    means = np.array([values.mean() for values in filled])
    value = float(means.mean())
    if len(means) > 1:
        low, high, method = _t_interval(value, means, unit, confidence)
        method += " replicate means"
    else:
        half = _t_half(filled[0], confidence)
        low, high = (
            _by_factor(value, half / value) if _is_time(unit, filled[0]) else (value - half, value + half)
        )
        method = "t over the messages of one replicate" if n > 1 else "one value, no interval"
    low, high = _within(filled, low, high, bounds)
    return Estimate(value, low, high, unit, len(filled), n, method, confidence)


def quantile_interval(
    replicates: Sequence[NDArray[np.generic]], q: float, unit: str, confidence: float = 0.95
) -> Estimate:
    """The `q` quantile of all values (0 < q < 1), with an interval that allows for differing
    replicates.

    With at least three replicates that each have enough values on both sides of the quantile:
    Student's t over the quantiles of the replicates, for times over their logarithms. Otherwise:
    the binomial order-statistic interval (David and Nagaraja, Order Statistics, 7.1) with n reduced
    by the design effect. Its ends are extended as long as the share of values beyond them is
    compatible with the quantile. If the values do not suffice, the estimate is `open_above`. Raises
    ValueError if there is no value.
    """
    filled = _filled(replicates)
    pooled = np.sort(np.concatenate(filled))
    value = float(np.quantile(pooled, q))
    rare = min(q, 1 - q)
    if len(filled) >= 3 and min(len(values) for values in filled) * rare >= ENOUGH_BEYOND:
        own = np.array([np.quantile(values, q) for values in filled])
        low, high, method = _t_interval(value, own, unit, confidence)
        low, high = _within(filled, low, high)
        method += " replicate quantiles"
        return Estimate(value, low, high, unit, len(filled), len(pooled), method, confidence)
    sizes = [len(values) for values in filled]
    below = np.array([np.count_nonzero(values <= value) for values in filled], dtype=np.float64)
    effect = design_effect(below, np.array(sizes, dtype=np.float64))
    low, high, open_above = _order_statistics(pooled, q, len(pooled) / effect, confidence)

    def possible(limit: float) -> bool:
        above = [int(np.count_nonzero(values > limit)) for values in filled]
        share = proportion_interval(above, sizes, confidence)
        return share.low <= 1 - q <= share.high

    # All values beyond the quantile may be of one replicate. Differences of replicates show further
    # out.
    low = _farthest(pooled[pooled < low][::-1], possible, low)
    high = _farthest(pooled[pooled > high], possible, high)
    method = f"order statistics, {len(pooled) / effect:.0f} effective values"
    return Estimate(value, low, high, unit, len(filled), len(pooled), method, confidence, open_above)


def largest(replicates: Sequence[NDArray[np.generic]], unit: str, confidence: float = 0.95) -> Estimate:
    """The largest of all values. It bounds the largest possible one from below only."""
    filled = _filled(replicates)
    value, n = float(max(values.max() for values in filled)), sum(len(values) for values in filled)
    return Estimate(value, value, value, unit, len(filled), n, f"largest of {n}", confidence, True)


def proportion_interval(
    successes: Sequence[int], totals: Sequence[int], confidence: float = 0.95, alike: int = 1
) -> Estimate:
    """The share sum(successes) / sum(totals), with the Clopper-Pearson interval on an effective n.

    n is reduced by the design effect, so replicates that differ by more than chance widen the
    interval. Zero successes have an upper bound too. `alike` values that may succeed only together
    count as one. Raises ValueError if the totals are zero or
    less than the successes.
    """
    hits, sizes = np.array(successes, dtype=np.float64), np.array(totals, dtype=np.float64)
    if len(hits) != len(sizes) or (hits < 0).any() or (hits > sizes).any() or sizes.sum() == 0:
        raise ValueError("successes must lie in 0..totals, and totals must not all be zero")
    effect = min(max(design_effect(hits, sizes), float(alike)), float(sizes.sum()))
    n, x = sizes.sum() / effect, hits.sum() / effect
    tail = (1 - confidence) / 2
    low = float(special.betaincinv(x, n - x + 1, tail)) if x > 0 else 0.0
    high = float(special.betaincinv(x + 1, n - x, 1 - tail)) if x < n else 1.0
    method = f"Clopper-Pearson, {n:.0f} effective values"
    value = float(hits.sum() / sizes.sum())
    used = int(np.count_nonzero(sizes))
    return Estimate(value, low, high, "fraction", used, int(sizes.sum()), method, confidence)


def design_effect(successes: Floats, totals: Floats) -> float:
    """The design effect: chi-square of the replicates per degree of freedom, at least 1.

    1 if there is one replicate, or if none or all were successes. Kish, Survey Sampling (1965),
    5.4.
    """
    used = totals > 0
    hits, sizes = successes[used], totals[used]
    share = hits.sum() / sizes.sum()
    if len(sizes) < 2 or share in (0.0, 1.0):
        return 1.0
    chi_square = float(((hits - sizes * share) ** 2 / (sizes * share * (1 - share))).sum())
    return min(max(1.0, chi_square / (len(sizes) - 1)), float(sizes.sum()))


def values_needed(q: float, confidence: float = 0.95) -> int:
    """The number of values that bound quantile `q` from above: least n with q**n <= (1 -
    confidence) / 2.
    """
    return math.ceil(math.log((1 - confidence) / 2) / math.log(q))


def _filled(replicates: Sequence[NDArray[np.generic]]) -> list[Floats]:
    filled = [np.asarray(values, dtype=np.float64) for values in replicates if len(values)]
    if not filled:
        raise ValueError("no values")
    return filled


def _t_interval(value: float, figures: Floats, unit: str, confidence: float) -> tuple[float, float, str]:
    """The t interval around `value` from one figure per replicate, and the start of its name.

    The interval of a time is a factor around `value`, from the logarithms of the figures. It
    reaches as far down as up, and never 0.
    """
    if _is_time(unit, figures):
        return *_by_factor(value, _t_half(np.log(figures), confidence)), "t over logarithms of"
    half = _t_half(figures, confidence)
    return value - half, value + half, "t over"


def _is_time(unit: str, values: Floats) -> bool:
    return unit == "ns" and bool((values > 0).all())


def _by_factor(value: float, logarithm: float) -> tuple[float, float]:
    """`value` divided and multiplied by a factor that is given by its logarithm."""
    return value * math.exp(-logarithm), value * math.exp(logarithm)


def _t_half(values: Floats, confidence: float) -> float:
    """Half the width of the t interval of the mean of `values`; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    quantile = float(special.stdtrit(len(values) - 1, (1 + confidence) / 2))
    return quantile * float(values.std(ddof=1)) / math.sqrt(len(values))


def _within(
    filled: list[Floats], low: float, high: float, bounds: tuple[float, float] | None = None
) -> tuple[float, float]:
    """The part of an interval within `bounds`.

    Without bounds it is cut at 0 if no value is negative.
    """
    least, most = bounds or (0.0 if all((values >= 0).all() for values in filled) else -math.inf, math.inf)
    return max(low, least), min(high, most)


def _order_statistics(
    ordered: Floats, q: float, effective: float, confidence: float
) -> tuple[float, float, bool]:
    """Low, high, and whether high is unbounded.

    Ranks are those of `effective` values, scaled to all.
    """
    n, trials, tail = len(ordered), max(1, math.floor(effective)), (1 - confidence) / 2
    low_rank = _binomial_quantile(tail, trials, q)
    high_rank = _binomial_quantile(1 - tail, trials, q) + 1
    low = ordered[max(0, math.ceil(low_rank * n / trials) - 1)]
    if high_rank > trials:
        return float(low), float(ordered[-1]), True
    return float(low), float(ordered[min(n, math.ceil(high_rank * n / trials)) - 1]), False


def _farthest(ordered: Floats, possible: Callable[[float], bool], nearest: float) -> float:
    """The value furthest from `nearest` that is still possible; `nearest` if there is none."""
    reached = bisect.bisect_left(ordered, True, key=lambda limit: not possible(limit))
    return float(ordered[reached - 1]) if reached else nearest


def _binomial_quantile(p: float, trials: int, chance: float) -> int:
    """The least number of successes with a cumulative probability of at least `p`."""
    number: int = math.ceil(special.bdtrik(p, trials, chance))
    # If `p` is met exactly, rounding may have moved it to the next number.
    below = max(number - 1, 0)
    return below if special.bdtr(below, trials, chance) >= p else number
