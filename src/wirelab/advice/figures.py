"""The figures of a combination: for each metric one per replicate, and the estimate over all of
them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wirelab.model.answer import Record, Threshold
from wirelab.model.arrivals import Arrivals, Search
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import METRICS, Metric, metric
from wirelab.model.result import TrialResult
from wirelab.stats.delivery import duplicated, longest_gap
from wirelab.stats.intervals import largest, mean_interval, proportion_interval, quantile_interval
from wirelab.stats.sample_join import DELIVERED
from wirelab.workloads import rate_search

Floats = NDArray[np.float64]
Columns = Mapping[str, NDArray[np.generic]]

EMPTY: Floats = np.empty(0)


@dataclass(frozen=True)
class Replicate:
    """One valid trial: which replicate it is, its result, and its times in ns (warm-up left out).

    `acknowledged` are round trips, kept where the clocks of the nodes are too far apart for one-way
    times. `sustained` is the highest rate at which a rate search lost nothing, `duplicated` how
    many messages arrived more than once, `gap` the most that were lost in succession. `batch`
    messages were sent as one.
    """

    number: int
    result: TrialResult
    latency: Floats
    arrival: Floats
    acknowledged: Floats = field(default_factory=lambda: EMPTY)
    sustained: float = np.nan
    duplicated: int | None = None
    gap: float = np.nan
    batch: int = 1


def replicate(record: Record, samples: Callable[[str], Columns]) -> Replicate:
    """The figures of a trial that is done; `samples` gives the columns of stats.join.Joined, or {}."""
    if record.result is None:
        raise ValueError(f"trial {record.trial.id} is not done")
    return dataclasses.replace(_replicate(record, record.result, samples), batch=record.trial.workload.batch)


def _replicate(record: Record, result: TrialResult, samples: Callable[[str], Columns]) -> Replicate:
    columns = samples(record.trial.id)
    if not columns:
        return Replicate(record.trial.replicate, result, EMPTY, EMPTY)
    used = (columns["outcome"] == DELIVERED) & ~columns["warmup"].astype(bool)
    repeated = duplicated(columns)
    gap = np.nan if result.overloaded else longest_gap(columns)
    if not result.one_way:
        used &= columns["done"] != 0
        times = columns["done"][used].astype(np.float64) - columns["planned"][used].astype(np.float64)
        return Replicate(record.trial.replicate, result, EMPTY, EMPTY, times, duplicated=repeated, gap=gap)
    planned = columns["planned"][used].astype(np.float64)
    latency = columns["decoded"][used].astype(np.float64) - planned
    arrival = columns["received"][used].astype(np.float64) - planned
    found = _sustained(record.trial.workload.arrivals, columns)
    return Replicate(
        record.trial.replicate, result, latency, arrival,
        sustained=found, duplicated=repeated, gap=gap,
    )  # fmt: skip


def _sustained(arrivals: Arrivals, columns: Columns) -> float:
    """The highest rate carried to every subscriber; NaN where none was searched for."""
    if not isinstance(arrivals, Search):
        return np.nan
    planned, received = columns["planned"].astype(np.int64), columns["received"].astype(np.int64)
    listener = columns.get("subscriber", np.zeros(len(received)))
    steps = rate_search.steps(arrivals)
    found = [
        rate_search.sustained_hz(steps, received[listener == k], int(planned[0])) for k in np.unique(listener)
    ]
    return min(found, default=np.nan)


def share_above(threshold: Threshold, replicates: Sequence[Replicate]) -> Estimate | None:
    """For a threshold on a quantile of times, or on the largest: the share of delivered messages
    above its limit.
    """
    named = metric(threshold.metric)
    if named.quantile is None and named.statistic != "max":
        return None
    values = [v for r in replicates if len(v := getattr(r, named.times))]
    if not values:
        return None
    above = [
        int(np.count_nonzero(v >= threshold.limit if threshold.relation == "<" else v > threshold.limit))
        for v in values
    ]
    return proportion_interval(above, [len(v) for v in values], alike=_alike(replicates))


def _alike(replicates: Sequence[Replicate]) -> int:
    """How many messages are lost or late together."""
    return max(replicate.batch for replicate in replicates)


def estimates(
    replicates: Sequence[Replicate], asked: Sequence[str] = ()
) -> tuple[dict[str, list[float]], dict[str, Estimate]]:
    """By metric: the value of every replicate (NaN: none), and the estimate over all of them.

    The metrics are those of the table and those `asked`.
    """
    figures: dict[str, list[float]] = {}
    found: dict[str, Estimate | None] = {}
    for name, one in (METRICS | {name: metric(name) for name in asked}).items():
        if one.times:
            values: list[Floats] = [getattr(replicate, one.times) for replicate in replicates]
            if any(len(own) for own in values):
                figures[name], found[name] = _of_times(one, values)
        elif one.share:
            counted = [count_messages(one, own) for own in replicates]
            figures[name], found[name] = _of_share(counted, _alike(replicates))
        elif one.value is not None:
            figures[name] = [one.value(replicate.result) for replicate in replicates]
            found[name] = mean_of(figures[name], one.unit)
    for name in ("sustained", "gap"):
        figures[name] = [getattr(replicate, name) for replicate in replicates]
        found[name] = mean_of(figures[name], METRICS[name].unit)
    known = {name: estimate for name, estimate in found.items() if estimate is not None}
    return {name: figures[name] for name in figures if not np.all(np.isnan(figures[name]))}, known


def count_messages(one: Metric, replicate: Replicate) -> tuple[int, int] | None:
    """For a share: the messages that count and those that could; None if that is not known.

    Messages that did not arrive are late. In an overloaded trial they are a backlog, not a loss.
    """
    counts, latency = replicate.result.counts, replicate.latency
    missing = counts.planned - counts.delivered
    if one.deadline_ns is not None:
        late = int(np.count_nonzero(latency > one.deadline_ns))
        return (late + missing, counts.planned) if len(latency) == counts.delivered else None
    if one.name == "loss":
        return None if replicate.result.overloaded else (missing, counts.planned)
    if one.name == "duplicates":
        return None if replicate.duplicated is None else (replicate.duplicated, counts.delivered)
    return counts.reordered, counts.delivered


def _of_share(counted: Sequence[tuple[int, int] | None], alike: int) -> tuple[list[float], Estimate | None]:
    """The share of each replicate, and that of all messages together."""
    own = [one[0] / one[1] if one is not None and one[1] else np.nan for one in counted]
    known = [one for one in counted if one is not None and one[1]]
    if not known:
        return own, None
    hits, totals = [one[0] for one in known], [one[1] for one in known]
    return own, proportion_interval(hits, totals, alike=alike)


def _of_times(one: Metric, values: Sequence[Floats]) -> tuple[list[float], Estimate | None]:
    """A statistic of times: of each replicate (NaN: too few values), and the estimate over all of
    them.
    """
    if one.quantile is not None:
        q = one.quantile
        own = [float(np.quantile(v, q)) if len(v) else np.nan for v in values]
        return own, quantile_interval(values, q, one.unit)
    if one.statistic == "max":
        own = [float(v.max()) if len(v) else np.nan for v in values]
        return own, largest(values, one.unit)
    if one.statistic == "sd":
        own = [float(v.std(ddof=1)) if len(v) > 1 else np.nan for v in values]
        return own, mean_of(own, one.unit)
    return [float(v.mean()) if len(v) else np.nan for v in values], mean_interval(values, one.unit)


def mean_of(values: Sequence[float], unit: str) -> Estimate | None:
    """The mean of one value per replicate; None if there is none."""
    known = [np.array([value]) for value in values if not np.isnan(value)]
    return mean_interval(known, unit) if known else None


def spread(values: Sequence[float], replicates: Sequence[Replicate], most: int) -> Floats:
    """Values at the index of their replicate (NaN: none), so that combinations pair by seed."""
    placed = np.full(most, np.nan)
    placed[[r.number for r in replicates]] = values
    return placed
