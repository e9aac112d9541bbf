"""The figures of a combination: for each metric one per replicate, and the estimate over all of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wirelab.model.answer import Record, Threshold
from wirelab.model.arrivals import Arrivals, Search
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import METRICS, Metric
from wirelab.model.result import TrialResult
from wirelab.stats.intervals import mean_interval, proportion_interval, quantile_interval
from wirelab.stats.sample_join import DELIVERED
from wirelab.workloads import rate_search

Floats = NDArray[np.float64]
Columns = Mapping[str, NDArray[np.generic]]

EMPTY: Floats = np.empty(0)


@dataclass(frozen=True)
class Replicate:
    """One valid trial: which replicate it is, its result, and its times in ns (warm-up left out).

    `acknowledged` are round trips, kept where the clocks of the nodes are too far apart for one-way
    times. `sustained` is the highest rate at which a rate search lost nothing.
    """

    number: int
    result: TrialResult
    latency: Floats
    arrival: Floats
    acknowledged: Floats = field(default_factory=lambda: EMPTY)
    sustained: float = np.nan


def replicate(record: Record, samples: Callable[[str], Columns]) -> Replicate:
    """The figures of a trial that is done; `samples` gives the columns of stats.join.Joined, or {}."""
    if record.result is None:
        raise ValueError(f"trial {record.trial.id} is not done")
    columns = samples(record.trial.id)
    if not columns:
        return Replicate(record.trial.replicate, record.result, EMPTY, EMPTY)
    used = (columns["outcome"] == DELIVERED) & ~columns["warmup"].astype(bool)
    if not record.result.one_way:
        used &= columns["done"] != 0
        round_trips = columns["done"][used].astype(np.float64) - columns["planned"][used].astype(np.float64)
        return Replicate(record.trial.replicate, record.result, EMPTY, EMPTY, round_trips)
    planned = columns["planned"][used].astype(np.float64)
    latency = columns["decoded"][used].astype(np.float64) - planned
    arrival = columns["received"][used].astype(np.float64) - planned
    found = _sustained(record.trial.workload.arrivals, columns)
    return Replicate(record.trial.replicate, record.result, latency, arrival, sustained=found)


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
    """For a threshold on a quantile of times: the share of delivered messages above its limit."""
    metric = METRICS[threshold.metric]
    if metric.quantile is None:
        return None
    values = [v for r in replicates if len(v := getattr(r, metric.times))]
    if not values:
        return None
    above = [
        int(np.count_nonzero(v >= threshold.limit if threshold.relation == "<" else v > threshold.limit))
        for v in values
    ]
    return proportion_interval(above, [len(v) for v in values])


def estimates(replicates: Sequence[Replicate]) -> tuple[dict[str, list[float]], dict[str, Estimate]]:
    """By metric: the value of every replicate (NaN: none), and the estimate over all of them."""
    figures: dict[str, list[float]] = {}
    found: dict[str, Estimate | None] = {}
    for name, metric in METRICS.items():
        if metric.times:
            values: list[Floats] = [getattr(replicate, metric.times) for replicate in replicates]
            if any(len(own) for own in values):
                figures[name], found[name] = _of_times(metric, values)
        elif metric.value is not None:
            figures[name] = [metric.value(replicate.result) for replicate in replicates]
            found[name] = _mean(figures[name], metric.unit)
    figures["sustained"] = [replicate.sustained for replicate in replicates]
    found["sustained"] = _mean(figures["sustained"], METRICS["sustained"].unit)
    figures["loss"] = [_loss(replicate.result) for replicate in replicates]
    counts = [r.result.counts for r in replicates if not np.isnan(_loss(r.result))]
    if counts:
        lost = [c.planned - c.delivered for c in counts]
        found["loss"] = proportion_interval(lost, [c.planned for c in counts])
    known = {name: estimate for name, estimate in found.items() if estimate is not None}
    return {name: figures[name] for name in figures if not np.all(np.isnan(figures[name]))}, known


def _of_times(metric: Metric, values: Sequence[Floats]) -> tuple[list[float], Estimate | None]:
    """A statistic of times: of each replicate (NaN: too few values), and the estimate over all of
    them.
    """
    if metric.quantile is not None:
        q = metric.quantile
        own = [float(np.quantile(v, q)) if len(v) else np.nan for v in values]
        return own, quantile_interval(values, q, metric.unit)
    if metric.statistic == "sd":
        own = [float(v.std(ddof=1)) if len(v) > 1 else np.nan for v in values]
        return own, _mean(own, metric.unit)
    return [float(v.mean()) if len(v) else np.nan for v in values], mean_interval(values, metric.unit)


def _loss(result: TrialResult) -> float:
    """The share of planned messages that were lost; NaN where the rest is a backlog."""
    counts = result.counts
    return np.nan if result.overloaded or not counts.planned else 1 - counts.delivered / counts.planned


def _mean(values: Sequence[float], unit: str) -> Estimate | None:
    """The mean of one value per replicate; None if there is none."""
    known = [np.array([value]) for value in values if not np.isnan(value)]
    return mean_interval(known, unit) if known else None


def spread(values: Sequence[float], replicates: Sequence[Replicate], most: int) -> Floats:
    """Values at the index of their replicate (NaN: none), so that combinations pair by seed."""
    placed = np.full(most, np.nan)
    placed[[r.number for r in replicates]] = values
    return placed
