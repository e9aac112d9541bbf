"""Comparisons of figures, and groups of ties."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy import special

from wirelab.model.estimate import Estimate

Floats = NDArray[np.float64]

CONFIDENCE = 0.99
"""The error rate of a single comparison: equal items tie with a margin."""

FAMILY = 0.01
"""The error rate of all comparisons with one leader together (Holm 1979). The leader is the
luckiest of equals: tables of up to 50 equal rows therefore separate rows in up to 7 of 100 cases
(docs/explanation/method.md)."""


class Order(enum.StrEnum):
    """The outcome for the first item against the second."""

    LESS = "less"
    GREATER = "greater"
    TIE = "tie"


class Comparison(Struct, frozen=True):
    """a against b: a - b, a / b (the difference relative to b's mean), `p` against |a - b| <=
    margin.
    """

    difference: Estimate
    ratio: Estimate
    p: float
    order: Order


class Place(Struct, frozen=True):
    """The rank of an item: its index in the input, its group from 1, its comparison with the
    leader.

    `unplaced`: the item is in a later group, but not separated from the best item of all.
    """

    index: int
    group: int
    tied: bool
    unplaced: bool
    against_best: Comparison | None


def compare(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    unit: str = "1",
    *,
    paired: bool = True,
    confidence: float = CONFIDENCE,
    margin: float = 0.0,
) -> Comparison:
    """Compare two items by one figure per replicate.

    Paired: replicate r of both met the same link, so the t interval is over the differences of
    replicates in which both have a number. Unpaired: Welch. `margin` is the relative difference,
    against b's mean, that does not count. Below two replicates everything is a tie. Raises
    ValueError if paired lengths differ.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if paired and len(first) != len(second):
        raise ValueError(f"paired replicates differ in number: {len(first)} and {len(second)}")
    if paired:
        both = np.isfinite(first) & np.isfinite(second)
        first, second = first[both], second[both]
    else:
        first, second = first[np.isfinite(first)], second[np.isfinite(second)]
    error, freedom = _standard_error(first, second, paired)
    difference = float(first.mean() - second.mean()) if len(first) and len(second) else 0.0
    base = abs(float(second.mean())) if len(second) else 0.0
    p = _p_value(abs(difference) - margin * base, error, freedom)
    half = float(special.stdtrit(freedom, (1 + confidence) / 2)) * error if freedom >= 1 else 0.0
    method = ("paired t" if paired else "Welch's t") + " over replicates"

    def estimate(middle: float, scale: float, shown: str) -> Estimate:
        n = len(first) + len(second)
        return Estimate(
            middle, middle - half * scale, middle + half * scale, shown, min(len(first), len(second)), n,
            method if freedom >= 1 else "too few replicates for an interval", confidence,
        )  # fmt: skip

    order = Order.TIE if p >= 1 - confidence else Order.LESS if difference < 0 else Order.GREATER
    scale = 1 / base if base else 0.0
    return Comparison(estimate(difference, 1, unit), estimate(1 + difference * scale, scale, "1"), p, order)


def rank_groups(
    items: Sequence[Sequence[float] | Floats],
    *,
    lower_is_better: bool = True,
    paired: bool = True,
    margin: float = 0.0,
    exact: bool = False,
) -> list[Place]:
    """Items best first, in groups of ties. An item is one figure per replicate (NaN: none).

    Items are ordered by their means. If paired, the median of all items in a replicate is
    subtracted first, so that a missing replicate favours no item. The best remaining item leads a
    group. The items after it join until the first that is separated from the leader, which leads
    the next group. Each leader's comparisons with all items after it are one family: separated
    means p below 1 % after Holm. `exact` figures have no error: only equal means tie. Raises
    ValueError for an item without a number.
    """
    values = _values(items, paired and not exact)
    order = sorted(range(len(items)), key=lambda i: values[i] if lower_is_better else -values[i])
    if exact:
        return _exact_places(order, values)
    places: list[Place] = []
    start, group, from_best = 0, 1, [True] * len(order)
    while start < len(order):
        rest = order[start + 1 :]
        against = [compare(items[i], items[order[start]], paired=paired, margin=margin) for i in rest]
        worse = Order.GREATER if lower_is_better else Order.LESS
        stands = holm([c.p for c in against])
        separated = [stand and c.order is worse for stand, c in zip(stands, against, strict=True)]
        if start == 0:
            from_best = [False, *separated]
        size = 1 + (separated.index(True) if True in separated else len(separated))
        for k in range(size):
            unplaced = group > 1 and not from_best[start + k]
            best = against[k - 1] if k else None
            places.append(Place(order[start + k], group, size > 1, unplaced, best))
        start, group = start + size, group + 1
    return places


def holm(ps: Sequence[float], family: float = FAMILY) -> list[bool]:
    """The p values that are significant at a family-wise error rate of `family` (Holm)."""
    stands = [False] * len(ps)
    for step, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        if ps[index] >= family / (len(ps) - step):
            break
        stands[index] = True
    return stands


def _standard_error(first: Floats, second: Floats, paired: bool) -> tuple[float, float]:
    """Standard error of the difference of means, and its degrees of freedom (0: unknown)."""
    if min(len(first), len(second)) < 2:
        return 0.0, 0.0
    if paired:
        return float((first - second).std(ddof=1)) / math.sqrt(len(first)), len(first) - 1.0
    va, vb = first.var(ddof=1) / len(first), second.var(ddof=1) / len(second)
    if va + vb == 0:
        return 0.0, float(len(first) + len(second) - 2)
    freedom = (va + vb) ** 2 / (va**2 / (len(first) - 1) + vb**2 / (len(second) - 1))
    return math.sqrt(va + vb), float(freedom)


def _p_value(excess: float, error: float, freedom: float) -> float:
    """Two-sided p of an absolute difference that exceeds the margin by `excess`."""
    if freedom < 1 or excess <= 0:
        return 1.0
    if error == 0:
        return 0.0
    return min(1.0, 2 * float(special.stdtr(freedom, -excess / error)))


def _values(items: Sequence[Sequence[float] | Floats], paired: bool) -> list[float]:
    """The order of items: their mean, if paired relative to the median of all items per replicate."""
    rows = [np.asarray(item, dtype=np.float64) for item in items]
    if not all(np.isfinite(row).any() for row in rows):
        raise ValueError("an item without a number cannot be ranked")
    if not paired or not rows:
        return [float(row[np.isfinite(row)].mean()) for row in rows]
    table = np.vstack(rows)
    table = table[:, np.isfinite(table).any(axis=0)]
    return [float(value) for value in np.nanmean(table - np.nanmedian(table, axis=0), axis=1)]


def _exact_places(order: list[int], values: list[float]) -> list[Place]:
    places, group = [], 0
    for k, index in enumerate(order):
        group += int(k == 0 or values[index] != values[order[k - 1]])
        tied = sum(math.isclose(values[index], other, rel_tol=1e-12) for other in values) > 1
        places.append(Place(index, group, tied, False, None))
    return places
